import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { ApiClient } from './client.ts';
import { type KubeObject, type ObjectKey, objectSchema, titleOf } from './object.ts';
import { ApiError } from './status-error.ts';

/** A kind of object: where a cluster keeps it is asked once. */
export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface ListOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListedObjects {
  readonly objects: readonly KubeObject[];
  /** Where a watch begins that misses nothing. */
  readonly resourceVersion: string;
}

export type Subresource = 'status' | 'approval';

interface Place {
  readonly path: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

const resourcesSchema = z.object({
  resources: z.array(z.object({ name: z.string(), kind: z.string(), namespaced: z.boolean() })),
});
const listSchema = z.object({
  metadata: z.object({ resourceVersion: z.string().default(''), continue: z.string().optional() }),
  items: z.array(z.looseObject({})).nullish(),
});
const PAGE = '500';

/** Objects of one cluster, by kind and name. */
export class Resources {
  readonly client: ApiClient;
  readonly #groups = new Map<string, Promise<z.output<typeof resourcesSchema>['resources']>>();

  constructor(client: ApiClient) {
    this.client = client;
  }

  /** Whether the cluster knows the kind: what is optional is not everywhere. */
  async knows(ctx: Context, kind: Kind): Promise<boolean> {
    return (await this.#find(ctx, kind)) !== undefined;
  }

  /** The object, or undefined where there is none, or where its kind is unknown. */
  async get(ctx: Context, key: ObjectKey): Promise<KubeObject | undefined> {
    if (!(await this.knows(ctx, key))) return undefined;
    const path = await this.pathOf(ctx, key);
    try {
      return objectSchema.parse(
        await this.client.json(ctx, { path, what: `read ${titleOf(key)}` }),
      );
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** All objects of a kind, page by page; none where the cluster does not know it. */
  async list(ctx: Context, kind: Kind, options: ListOptions = {}): Promise<ListedObjects> {
    if (!(await this.knows(ctx, kind))) return { objects: [], resourceVersion: '' };
    const { namespace, ...selectors } = options;
    const path = await this.pathOf(ctx, { ...kind, namespace });
    const objects: KubeObject[] = [];
    for (let next: string | undefined; ; ) {
      const query = { ...selectors, limit: PAGE, continue: next };
      const what = `list objects of kind ${kind.kind}`;
      const page = listSchema.parse(await this.client.json(ctx, { path, query, what }));
      // Items of a list do not say what they are.
      for (const item of page.items ?? []) objects.push(objectSchema.parse({ ...kind, ...item }));
      next = page.metadata.continue || undefined;
      if (!next) return { objects, resourceVersion: page.metadata.resourceVersion };
    }
  }

  async remove(ctx: Context, key: ObjectKey): Promise<void> {
    const path = await this.pathOf(ctx, key);
    try {
      await this.client.json(ctx, { method: 'DELETE', path, what: `remove ${titleOf(key)}` });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
  }

  /** Replaces an object, or a part of it that has an address of its own. */
  async replace(ctx: Context, key: ObjectKey, object: KubeObject, part?: Subresource) {
    const path = `${await this.pathOf(ctx, key)}${part ? `/${part}` : ''}`;
    const what = `change ${titleOf(key)}`;
    return objectSchema.parse(
      await this.client.json(ctx, { method: 'PUT', path, body: object, what }),
    );
  }

  /** The path of one object, or of all of a kind where no name is given. */
  async pathOf(
    ctx: Context,
    key: Kind & { readonly namespace?: string | undefined; readonly name?: string | undefined },
  ): Promise<string> {
    const place = await this.#find(ctx, key);
    if (!place) throw unknownKind(key);
    const within =
      place.namespaced && key.namespace ? `/namespaces/${encodeURIComponent(key.namespace)}` : '';
    const name = key.name === undefined ? '' : `/${encodeURIComponent(key.name)}`;
    return `${place.path}${within}/${place.plural}${name}`;
  }

  async #find(ctx: Context, { apiVersion, kind }: Kind): Promise<Place | undefined> {
    const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const found = (await this.#group(ctx, path)).find(
      (one) => one.kind === kind && !one.name.includes('/'),
    );
    return found && { path, plural: found.name, namespaced: found.namespaced };
  }

  async #group(ctx: Context, path: string) {
    const known = this.#groups.get(path);
    if (known) return await known;
    const asking = this.#ask(ctx, path);
    this.#groups.set(path, asking);
    // Kinds come and go with operators: only what is there is remembered.
    const found = await asking.catch((error: unknown) => {
      this.#groups.delete(path);
      throw error;
    });
    if (found.length === 0) this.#groups.delete(path);
    return found;
  }

  async #ask(ctx: Context, path: string) {
    try {
      const what = `ask what ${path} holds`;
      return resourcesSchema.parse(await this.client.json(ctx, { path, what })).resources;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return [];
      throw error;
    }
  }
}

function unknownKind({ apiVersion, kind }: Kind): AtollError {
  return new AtollError(
    'CLUSTER_KIND_UNKNOWN',
    `Cannot use ${kind} of ${apiVersion}: the cluster does not know it`,
    {
      hint: 'Install the operator that brings it, or leave these objects out',
      details: { apiVersion, kind },
    },
  );
}
