import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type Digest, isDigest } from '../../oci/digest.ts';
import { isIndexType } from '../../oci/media-types.ts';
import { AttachmentFinder } from './attachments.ts';
import { isSource } from './capabilities.ts';
import type { CopyOptions, ImageJob } from './job.ts';
import type { ManifestShelf } from './manifest-shelf.ts';
import type { Pace } from './pace.ts';
import { type Origin, type Place, Places } from './place.ts';
import { type ImagePlan, type ManifestNode, nodesOf, type PlannedTree } from './plan.ts';
import { chooseSingle } from './platforms.ts';
import { TreePlanner } from './tree-planner.ts';

/** What a plan needs to know about one image while it is being made. */
interface Subject {
  readonly job: ImageJob;
  readonly place: Place;
  readonly origin: Origin;
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
    const { root, tagged } = await this.#findRoot(subject);
    const present = tagged.size > 0 || (await this.#isThere(place, root));
    const node = await this.#trees.plan({ ...subject, shape: job.shape ?? 'whole' }, root, present);
    const tree = { node, tags: job.tags.filter((tag) => !tagged.has(tag)) };
    const attachments = this.#wantsAttachments(job) ? await this.#attachments(subject, node) : [];
    return { ...subject, root: tree, attachments };
  }

  #wantsAttachments(job: ImageJob): boolean {
    return job.signatures ?? this.#options.signatures ?? true;
  }

  /** The image itself, and which of the wanted tags already name it at the target. */
  async #findRoot(subject: Subject): Promise<{ root: Descriptor; tagged: ReadonlySet<string> }> {
    const { job, place } = subject;
    if (job.shape === 'single') return await this.#findSingle(subject);
    if (isDigest(job.reference)) {
      const tags = await this.#tagsAt(place, job.tags);
      const same = [...tags.values()].find((found) => found?.digest === job.reference);
      const root = same ?? (await this.#resolve(subject));
      return { root, tagged: namesOf(tags, root.digest) };
    }
    const [root, tags] = await Promise.all([this.#resolve(subject), this.#tagsAt(place, job.tags)]);
    return { root, tagged: namesOf(tags, root.digest) };
  }

  async #findSingle(subject: Subject): Promise<{ root: Descriptor; tagged: ReadonlySet<string> }> {
    const { job, place, origin } = subject;
    const named = await this.#resolve(subject);
    const root = isIndexType(named.mediaType)
      ? chooseSingle(await origin.source.manifest(this.#ctx, named), job)
      : named;
    return { root, tagged: namesOf(await this.#tagsAt(place, job.tags), root.digest) };
  }

  async #resolve({ job, origin }: Subject): Promise<Descriptor> {
    const found = await this.#pace.timed(origin.group, () =>
      origin.source.resolve(this.#ctx, job.reference),
    );
    if (found) return found;
    throw new AtollError('IMAGE_UNKNOWN', `Cannot copy ${job.from}: the source does not have it`, {
      hint: 'Check the name and the tag; with "skopeo list-tags" you see what is there',
    });
  }

  async #tagsAt(
    { target, group }: Place,
    tags: readonly string[],
  ): Promise<ReadonlyMap<string, Descriptor | undefined>> {
    if (!isSource(target)) return new Map();
    const found = tags.map(async (tag) => {
      const descriptor = await this.#pace.timed(group, () => target.resolve(this.#ctx, tag));
      return [tag, descriptor] as const;
    });
    return new Map(await Promise.all(found));
  }

  async #isThere({ target, group }: Place, root: Descriptor): Promise<boolean> {
    return await this.#pace.timed(group, () => target.has(this.#ctx, root));
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
    const tagged = namesOf(await this.#tagsAt(subject.place, wanted), descriptor.digest);
    const present = tagged.size > 0 || (await this.#isThere(subject.place, descriptor));
    const node = await this.#trees.plan({ ...subject, shape: 'whole' }, descriptor, present);
    return { node, tags: wanted.filter((name) => !tagged.has(name)) };
  }
}

function namesOf(
  tags: ReadonlyMap<string, Descriptor | undefined>,
  digest: Digest,
): ReadonlySet<string> {
  return new Set([...tags].filter(([, found]) => found?.digest === digest).map(([tag]) => tag));
}
