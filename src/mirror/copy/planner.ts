import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type Digest, isDigest } from '../../oci/digest.ts';
import type { RawManifest } from '../../oci/manifest.ts';
import { isIndexType } from '../../oci/media-types.ts';
import { referrersTag } from '../../oci/referrers.ts';
import { type Attachment, AttachmentFinder } from './attachments.ts';
import type { Concurrency } from './concurrency.ts';
import {
  CopyRepositories,
  type DestinationRepository,
  type SourceRepository,
} from './copy-repositories.ts';
import type { CopyOptions, ImageJob } from './job.ts';
import { type ImagePlan, type ManifestNode, nodesOf, type PlannedTree } from './plan.ts';
import { chooseSingle } from './platforms.ts';
import { type PlanTools, TreePlanner } from './tree-planner.ts';

interface PlanRequest {
  readonly job: ImageJob;
  readonly from: SourceRepository;
  readonly to: DestinationRepository;
}

interface FoundRoot {
  readonly root: Descriptor;
  /** Known when it was read on the way. */
  readonly manifest?: RawManifest;
}

/** Artifacts of artifacts (a signature of an SBOM) exist; longer chains do not. */
const MAX_ATTACHMENT_DEPTH = 3;

/** Finds out what has to be moved for each image, with as few requests as possible. */
export class Planner {
  readonly #ctx: Context;
  readonly #options: CopyOptions;
  readonly #concurrency: Concurrency;
  readonly #repositories = new CopyRepositories();
  readonly #trees: TreePlanner;
  readonly #finder = new AttachmentFinder();
  /**
   * Whether the target had the tags of the previous image. Then it most likely has those of the next
   * one, and both sides are asked at once, as they are for the first.
   */
  #lastWasThere = true;

  constructor(ctx: Context, options: CopyOptions, tools: PlanTools) {
    this.#ctx = ctx;
    this.#options = options;
    this.#concurrency = tools.concurrency;
    this.#trees = new TreePlanner(ctx, tools);
  }

  async plan(job: ImageJob): Promise<ImagePlan> {
    const from = this.#repositories.sourceOf(job);
    const to = this.#repositories.destinationOf(job);
    const request = { job, from, to };
    const ahead =
      this.#lastWasThere && !isDigest(job.reference) ? this.#resolve(request) : undefined;
    // When the target fails first, nothing waits for this any more.
    ahead?.catch(() => undefined);
    if (this.#wantsAttachments(job)) this.#finder.begin(this.#ctx, from);
    const tags = await this.#tagsAt(to, job.tags);
    this.#lastWasThere = !tags.areMissing;
    const { root, manifest } = await this.#findRoot(request, tags, ahead);
    const present = await this.#isThere(to, root, tags);
    const shape = job.shape ?? 'whole';
    const node = await this.#trees.plan({ ...request, shape, manifest }, root, present);
    const tree = { node, tags: missingOf(job.tags, tags, root) };
    const attachments = this.#wantsAttachments(job) ? await this.#attachments(request, node) : [];
    return { ...request, root: tree, attachments };
  }

  #wantsAttachments(job: ImageJob): boolean {
    return job.signatures ?? this.#options.signatures ?? true;
  }

  /** The image itself. Where it has to be read anyway, finding and reading it is one request. */
  async #findRoot(
    request: PlanRequest,
    tags: TargetTags,
    ahead: Promise<Descriptor> | undefined,
  ): Promise<FoundRoot> {
    const { job, from } = request;
    const resolved = () => ahead ?? this.#resolve(request);
    if (job.shape === 'single') return { root: await this.#single(request, await resolved()) };
    const same = isDigest(job.reference) ? tags.find(job.reference) : undefined;
    if (same) return { root: same };
    const { find } = from.source.can;
    if (ahead || !tags.areMissing || !find) return { root: await resolved() };
    const manifest = await this.#concurrency.timed(from.group, () =>
      find(this.#ctx, job.reference),
    );
    if (!manifest) throw unknown(job);
    return { root: manifest.descriptor, manifest };
  }

  async #single({ job, from }: PlanRequest, named: Descriptor): Promise<Descriptor> {
    if (!isIndexType(named.mediaType)) return named;
    return chooseSingle(await from.source.manifest(this.#ctx, named), job);
  }

  async #resolve({ job, from }: PlanRequest): Promise<Descriptor> {
    const found = await this.#concurrency.timed(from.group, () =>
      from.source.resolve(this.#ctx, job.reference),
    );
    if (found) return found;
    throw unknown(job);
  }

  async #tagsAt(
    { target, group }: DestinationRepository,
    tags: readonly string[],
  ): Promise<TargetTags> {
    const source = target.can.read;
    if (!source) return new TargetTags([]);
    const found = tags.map(async (tag) => {
      const early = await target.can.asked?.(tag)?.catch(() => undefined);
      if (early) {
        this.#concurrency.took(group, early.tookMs);
        return [tag, early.found] as const;
      }
      const descriptor = await this.#concurrency.timed(group, () => source.resolve(this.#ctx, tag));
      return [tag, descriptor] as const;
    });
    return new TargetTags(await Promise.all(found));
  }

  /**
   * Whether the target has the image. Without any of its tags that is so unlikely that it is not
   * worth a request for each image: should it be there, its blobs are found there one by one.
   */
  async #isThere(
    { target, group }: DestinationRepository,
    image: Descriptor,
    tags: TargetTags,
  ): Promise<boolean> {
    if (tags.find(image.digest)) return true;
    if (tags.areMissing) return false;
    return await this.#concurrency.timed(group, () => target.has(this.#ctx, image));
  }

  /** A run that was cut off may have put it without adding it to the list that others read. */
  async #isListed(
    { target }: DestinationRepository,
    { digest }: Descriptor,
    subject: Digest | undefined,
  ): Promise<boolean> {
    const list = target.can.read?.can.referrers;
    if (!subject || !list) return true;
    return (await list(this.#ctx, subject)).some((each) => each.digest === digest);
  }

  async #attachments(request: PlanRequest, root: ManifestNode): Promise<PlannedTree[]> {
    const children = this.#options.childSignatures ?? true;
    const digests = (children ? nodesOf(root) : [root]).map(({ descriptor }) => descriptor.digest);
    const planned: PlannedTree[] = [];
    await this.#addAttachments(request, new Set(digests), planned, new Set(digests), 1);
    return planned;
  }

  async #addAttachments(
    request: PlanRequest,
    subjects: ReadonlySet<Digest>,
    planned: PlannedTree[],
    seen: Set<Digest>,
    depth: number,
  ): Promise<void> {
    const found = await Promise.all(
      [...subjects].map((digest) => this.#finder.find(this.#ctx, request.from, digest)),
    );
    const fresh = found.flat().filter(({ descriptor }) => {
      const isNew = !seen.has(descriptor.digest);
      seen.add(descriptor.digest);
      return isNew;
    });
    const trees = fresh.map((attachment) => this.#attachment(request, attachment));
    planned.push(...(await Promise.all(trees)));
    const next = new Set(fresh.map(({ descriptor }) => descriptor.digest));
    if (next.size > 0 && depth < MAX_ATTACHMENT_DEPTH) {
      await this.#addAttachments(request, next, planned, seen, depth + 1);
    }
  }

  async #attachment(
    request: PlanRequest,
    { descriptor, tag, subject }: Attachment,
  ): Promise<PlannedTree> {
    const wanted = tag === undefined ? [] : [tag];
    const tags = await this.#tagsAt(request.to, wanted);
    const present =
      (await this.#isThere(request.to, descriptor, tags)) &&
      (await this.#isListed(request.to, descriptor, subject));
    const node = await this.#trees.plan({ ...request, shape: 'whole' }, descriptor, present);
    return { node, tags: missingOf(wanted, tags, descriptor) };
  }
}

/** A tag that is the one for the list of an image's referrers is left to that list. */
function missingOf(wanted: readonly string[], tags: TargetTags, { digest }: Descriptor): string[] {
  const there = tags.naming(digest);
  const forList = referrersTag(digest);
  return wanted.filter((tag) => !there.has(tag) && !(tag === forList && tags.has(tag)));
}

function unknown({ from }: ImageJob): AtollError {
  return new AtollError('IMAGE_UNKNOWN', `Cannot copy ${from}: the source does not have it`, {
    hint: 'Check the name and the tag; with "skopeo list-tags" you see what is there',
  });
}

/** What the tags that an image shall have name at the target now. */
class TargetTags {
  readonly #found: readonly (readonly [tag: string, found: Descriptor | undefined])[];

  constructor(found: readonly (readonly [tag: string, found: Descriptor | undefined])[]) {
    this.#found = found;
  }

  /** Tags were asked for and none is there: nothing of the image is to be expected there. */
  get areMissing(): boolean {
    return this.#found.length > 0 && this.#found.every(([, found]) => found === undefined);
  }

  /** The image with this digest, if one of the tags names it. */
  find(digest: Digest): Descriptor | undefined {
    return this.#found.find(([, found]) => found?.digest === digest)?.[1];
  }

  has(tag: string): boolean {
    return this.#found.some(([name, found]) => name === tag && found !== undefined);
  }

  /** The tags that name this digest. */
  naming(digest: Digest): ReadonlySet<string> {
    return new Set(this.#found.filter(([, found]) => found?.digest === digest).map(([tag]) => tag));
  }
}
