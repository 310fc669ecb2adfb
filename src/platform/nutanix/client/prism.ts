import type { Context } from '../../../core/context.ts';
import type { ErrorCode } from '../../../core/error-codes.ts';
import { AtollError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import { sleep } from '../../../core/retry.ts';
import { parseJson } from '../../../core/shape.ts';
import {
  type PlatformAnswer,
  type PlatformHttpOptions,
  platformHttp,
} from '../../shared/platform-http.ts';
import { type Entity, entitySchema, listSchema, taskSchema } from './entities.ts';

/** Kinds of things that Prism Central keeps. */
export type EntityKind = 'cluster' | 'subnet' | 'image' | 'vm';

/** A Prism Central, by version 3 of its API. */
export interface Prism {
  readonly server: string;
  /** Sends a request below `/api/nutanix/v3/`; the answer is JSON. `doing` is for its failures. */
  call(ctx: Context, doing: string, method: Method, path: string, body?: object): Promise<unknown>;
  close(): void;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface PrismOptions extends Pick<PlatformHttpOptions, 'server' | 'ca' | 'env' | 'retry'> {
  readonly login: () => Promise<{ readonly username: string; readonly password: string }>;
}

const KINDS: Readonly<Record<number, { code: ErrorCode; hint?: string }>> = {
  401: {
    code: 'CLOUD_CREDENTIALS',
    hint: 'Correct username and password in the file that platform.credentials names',
  },
  403: { code: 'CLOUD_DENIED', hint: 'Give the user a role that may do this in Prism Central' },
  429: { code: 'CLOUD_THROTTLED' },
};

export function connectPrism(options: PrismOptions): Prism {
  const { server } = options;
  const caHint = 'Prism shows it under Settings, SSL Certificate';
  const http = platformHttp({ ...options, setting: 'platform.prismCentral', caHint });
  return {
    server,
    async call(ctx, doing, method, path, body) {
      const { username, password } = await options.login();
      const basic = Buffer.from(`${username}:${password}`).toString('base64');
      const headers = {
        authorization: `Basic ${basic}`,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      };
      const request = {
        ...{ doing, method, headers, path: `/api/nutanix/v3/${path}` },
        body: body === undefined ? undefined : JSON.stringify(body),
      };
      return await http.send(ctx, request, (answer) => answerOf(doing, answer));
    },
    close: http.close,
  };
}

function answerOf(doing: string, { status, text }: PlatformAnswer): unknown {
  const json = parseJson(text);
  if (status >= 200 && status < 300) return json ?? {};
  const said = (json as { message_list?: readonly { message?: string }[] } | undefined)
    ?.message_list;
  const words = said?.flatMap(({ message }) => message ?? []).join('; ');
  const other = status >= 500 || status === 408 ? 'CLOUD_UNAVAILABLE' : 'CLOUD_REFUSED';
  const { code, hint } = KINDS[status] ?? { code: other as ErrorCode };
  throw new AtollError(code, `Cannot ${doing}: ${words || `HTTP status ${status}`}`, {
    hint,
    details: { status },
  });
}

/** One entity, or undefined where there is none. */
export async function entityOf(
  ctx: Context,
  prism: Prism,
  kind: EntityKind,
  uuid: string,
): Promise<Entity | undefined> {
  const path = `${kind}s/${encodeURIComponent(uuid)}`;
  try {
    return entitySchema.parse(await prism.call(ctx, `read the ${kind} ${uuid}`, 'GET', path));
  } catch (error) {
    if (error instanceof AtollError && error.details.status === 404) return undefined;
    throw error;
  }
}

const PAGE = 100;

/** All entities of a kind. */
export async function allOf(ctx: Context, prism: Prism, kind: EntityKind): Promise<Entity[]> {
  const found: Entity[] = [];
  for (;;) {
    const page = { kind, length: PAGE, offset: found.length };
    const answer = await prism.call(ctx, `list ${kind}s`, 'POST', `${kind}s/list`, page);
    const { entities } = listSchema.parse(answer);
    found.push(...entities);
    if (entities.length < PAGE) return found;
  }
}

const HOUR_MS = 3_600_000;

/** Sends a request that begins a task, and waits for its end; the answer is the uuid of what it is about. */
export async function runPrismTask(
  ctx: Context,
  { prism, pollMs }: { readonly prism: Prism; readonly pollMs: number },
  request: {
    readonly doing: string;
    readonly method: Method;
    readonly path: string;
    readonly body?: JsonObject | undefined;
  },
): Promise<string> {
  const { doing, method, path, body } = request;
  const begun = entitySchema.parse(await prism.call(ctx, doing, method, path, body));
  const task = begun.status.execution_context?.task_uuid;
  for (let waited = 0; task !== undefined && waited < HOUR_MS; waited += pollMs) {
    const asked = await prism.call(ctx, doing, 'GET', `tasks/${task}`);
    const { status, error_detail: words } = taskSchema.parse(asked);
    if (status === 'SUCCEEDED') return begun.metadata.uuid ?? '';
    if (status === 'FAILED' || status === 'ABORTED')
      throw new AtollError('CLOUD_REFUSED', `Cannot ${doing}: ${words || status}`, {
        hint: `Look at the task ${task} in Prism Central`,
      });
    await sleep(ctx, pollMs);
  }
  throw new AtollError('TIMED_OUT', `Cannot ${doing}: its task did not end`, {
    hint: 'Look at the tasks in Prism Central',
  });
}
