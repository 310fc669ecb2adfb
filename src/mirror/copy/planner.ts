import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type Digest, isDigest } from '../../oci/digest.ts';
import type { RawManifest } from '../../oci/manifest.ts';
import { isIndexType } from '../../oci/media-types.ts';
import { AttachmentFinder } from './attachments.ts';
import { canFind, isSource } from './capabilities.ts';
import type { CopyOptions, ImageJob } from './job.ts';
import type { ManifestShelf } from './manifest-shelf.ts';
import type { Pace } from './pace.ts';
import { type Origin, type Place, Places } from './place.ts';
import { type ImagePlan, type ManifestNode, nodesOf, type PlannedTree } from './plan.ts';
import { chooseSingle } from './platforms.ts';
import { TargetTags } from './target-tags.ts';
import { TreePlanner } from './tree-planner.ts';

/** What a plan needs to know about one image while it is being made. */
interface Subject {
  readonly job: ImageJob;
  readonly place: Place;
  readonly origin: Origin;
}

interface Found {
  readonly root: Descriptor;
  /** Known when it was read on the way. */
  readonly manifest?: RawManifest;
}

/** Artifacts of artifacts (a signature of an SBOM) exist; longer chains do not. */
const MAX_ATTACHMENT_DEPTH = 3;

/** Finds out what has to be moved for each image, with as few questions as possible. */
export class Planner {
  readonly #ctx: Context;
  readonly #options: CopyOptions;
  readonly #pace: Pace;
  readonly #places = new Places();
  readonly #trees: TreePlanner;
  readonly #finder = new AttachmentFinder();
  /**
   * Whether the target had the tags of the image before. Then it most likely has those of the next
   * one, and both sides are asked at once; so they are as long as nothing is known.
   */
  #lastWasThere = true;

  constructor(ctx: Context, options: CopyOptions, shelf: ManifestShelf, pace: Pace) {
    this.#ctx = ctx;
    this.#options = options;
    this.#pace = pace;
    this.#trees = new TreePlanner(ctx, shelf, pace);
  }

  async plan(job: ImageJob): Promise<ImagePlan> {
    const place = this.#places.placeOf(job);
    const origin = this.#places.originOf(job);
    const subject = { job, place, origin };
    const ahead =
      this.#lastWasThere && !isDigest(job.reference) ? this.#resolve(subject) : undefined;
    // When the target fails first, nobody asks for this any more.
    ahead?.catch(() => undefined);
    const tags = await this.#tagsAt(place, job.tags);
    this.#lastWasThere = !tags.areMissing;
    const { root, manifest } = await this.#findRoot(subject, tags, ahead);
    const present = await this.#isThere(place, root, tags);
    const shape = job.shape ?? 'whole';
    const node = await this.#trees.plan({ ...subject, shape, manifest }, root, present);
    const tree = { node, tags: missingOf(job.tags, tags, root) };
    const attachments = this.#wantsAttachments(job) ? await this.#attachments(subject, node) : [];
    return { ...subject, root: tree, attachments };
  }

  #wantsAttachments(job: ImageJob): boolean {
    return job.signatures ?? this.#options.signatures ?? true;
  }

  /** The image itself. Where it has to be read anyway, finding it and reading it is one question. */
  async #findRoot(
    subject: Subject,
    tags: TargetTags,
    ahead: Promise<Descriptor> | undefined,
  ): Promise<Found> {
    const { job, origin } = subject;
    const resolved = () => ahead ?? this.#resolve(subject);
    if (job.shape === 'single') return { root: await this.#single(subject, await resolved()) };
    const same = isDigest(job.reference) ? tags.find(job.reference) : undefined;
    if (same) return { root: same };
    const { source, group } = origin;
    if (ahead || !tags.areMissing || !canFind(source)) return { root: await resolved() };
    const manifest = await this.#pace.timed(group, () => source.find(this.#ctx, job.reference));
    if (!manifest) throw unknown(job);
    return { root: manifest.descriptor, manifest };
  }

  async #single({ job, origin }: Subject, named: Descriptor): Promise<Descriptor> {
    if (!isIndexType(named.mediaType)) return named;
    return chooseSingle(await origin.source.manifest(this.#ctx, named), job);
  }

  async #resolve({ job, origin }: Subject): Promise<Descriptor> {
    const found = await this.#pace.timed(origin.group, () =>
      origin.source.resolve(this.#ctx, job.reference),
    );
    if (found) return found;
    throw unknown(job);
  }

  async #tagsAt({ target, group }: Place, tags: readonly string[]): Promise<TargetTags> {
    if (!isSource(target)) return new TargetTags([]);
    const found = tags.map(async (tag) => {
      const descriptor = await this.#pace.timed(group, () => target.resolve(this.#ctx, tag));
      return [tag, descriptor] as const;
    });
    return new TargetTags(await Promise.all(found));
  }

  /**
   * Whether the target has the image. Without any of its tags that is so unlikely that it is not
   * worth a question for each image: should it be there, its blobs are found there one by one.
   */
  async #isThere({ target, group }: Place, image: Descriptor, tags: TargetTags): Promise<boolean> {
    if (tags.find(image.digest)) return true;
    if (tags.areMissing) return false;
    return await this.#pace.timed(group, () => target.has(this.#ctx, image));
  }

  async #attachments(subject: Subject, root: ManifestNode): Promise<PlannedTree[]> {
    const children = this.#options.childSignatures ?? true;
    const digests = (children ? nodesOf(root) : [root]).map(({ descriptor }) => descriptor.digest);
    const planned: PlannedTree[] = [];
    await this.#addAttachments(subject, new Set(digests), planned, new Set(digests), 1);
    return planned;
  }

  async #addAttachments(
    subject: Subject,
    subjects: ReadonlySet<Digest>,
    planned: PlannedTree[],
    seen: Set<Digest>,
    depth: number,
  ): Promise<void> {
    const found = await Promise.all(
      [...subjects].map((digest) => this.#finder.find(this.#ctx, subject.origin, digest)),
    );
    const fresh = found.flat().filter(({ descriptor }) => {
      const isNew = !seen.has(descriptor.digest);
      seen.add(descriptor.digest);
      return isNew;
    });
    const trees = fresh.map(({ descriptor, tag }) => this.#attachment(subject, descriptor, tag));
    planned.push(...(await Promise.all(trees)));
    const next = new Set(fresh.map(({ descriptor }) => descriptor.digest));
    if (next.size > 0 && depth < MAX_ATTACHMENT_DEPTH) {
      await this.#addAttachments(subject, next, planned, seen, depth + 1);
    }
  }

  async #attachment(
    subject: Subject,
    descriptor: Descriptor,
    tag: string | undefined,
  ): Promise<PlannedTree> {
    const wanted = tag === undefined ? [] : [tag];
    const tags = await this.#tagsAt(subject.place, wanted);
    const present = await this.#isThere(subject.place, descriptor, tags);
    const node = await this.#trees.plan({ ...subject, shape: 'whole' }, descriptor, present);
    return { node, tags: missingOf(wanted, tags, descriptor) };
  }
}

function missingOf(wanted: readonly string[], tags: TargetTags, { digest }: Descriptor): string[] {
  const there = tags.naming(digest);
  return wanted.filter((tag) => !there.has(tag));
}

function unknown({ from }: ImageJob): AtollError {
  return new AtollError('IMAGE_UNKNOWN', `Cannot copy ${from}: the source does not have it`, {
    hint: 'Check the name and the tag; with "skopeo list-tags" you see what is there',
  });
}
