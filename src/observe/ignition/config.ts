import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { AtollError, messageOf } from '../../core/errors.ts';

const SOURCE = z.looseObject({
  source: z.string().nullish(),
  compression: z.string().nullish(),
  verification: z.looseObject({ hash: z.string().nullish() }).nullish(),
});
const FILE = z.looseObject({
  path: z.string(),
  mode: z.number().nullish(),
  contents: SOURCE.nullish(),
  append: z.array(SOURCE).nullish(),
});
const LINK = z.looseObject({ path: z.string(), target: z.string().nullish() });
const UNIT = z.looseObject({
  name: z.string(),
  enabled: z.boolean().nullish(),
  mask: z.boolean().nullish(),
  contents: z.string().nullish(),
  dropins: z.array(z.looseObject({ name: z.string(), contents: z.string().nullish() })).nullish(),
});
const USER = z.looseObject({
  name: z.string(),
  passwordHash: z.string().nullish(),
  sshAuthorizedKeys: z.array(z.string()).nullish(),
});
const CONFIG = z.looseObject({
  ignition: z.looseObject({
    version: z.string(),
    config: z
      .looseObject({ merge: z.array(SOURCE).nullish(), replace: SOURCE.nullish() })
      .nullish(),
    security: z
      .looseObject({
        tls: z.looseObject({ certificateAuthorities: z.array(SOURCE).nullish() }).nullish(),
      })
      .nullish(),
    proxy: z
      .looseObject({
        httpProxy: z.string().nullish(),
        httpsProxy: z.string().nullish(),
        noProxy: z.array(z.string()).nullish(),
      })
      .nullish(),
  }),
  passwd: z.looseObject({ users: z.array(USER).nullish() }).nullish(),
  storage: z
    .looseObject({ files: z.array(FILE).nullish(), links: z.array(LINK).nullish() })
    .nullish(),
  systemd: z.looseObject({ units: z.array(UNIT).nullish() }).nullish(),
});

export type ParsedIgnition = z.infer<typeof CONFIG>;
export type IgnitionUnit = z.infer<typeof UNIT>;
export type ParsedContents = z.infer<typeof SOURCE>;

/** A file a config writes, with its content where the config carries it. */
export interface IgnitionFile {
  readonly path: string;
  readonly mode: number;
  /** Undefined when it is fetched from elsewhere. */
  readonly content: Buffer | undefined;
  readonly source: string | undefined;
}

/** More than any real file in a config; a few bytes can unfold to gigabytes. */
const MAX_CONTENT_BYTES = 64 * 1024 * 1024;

/** Reads an Ignition config of any 3.x version. */
export function parseIgnition(name: string, text: string): ParsedIgnition {
  const parsed = CONFIG.safeParse(parseJson(name, text));
  if (!parsed.success) throw invalid(name, z.prettifyError(parsed.error));
  const { version } = parsed.data.ignition;
  if (!/^3\.\d+\.\d+(?:-|$)/.test(version)) {
    throw invalid(name, `its version is "${version}"`, 'Only Ignition specification 3.x is read');
  }
  return parsed.data;
}

export function filesOf(config: ParsedIgnition, name: string): IgnitionFile[] {
  return (config.storage?.files ?? []).map((file) => {
    const parts = [...(file.contents ? [file.contents] : []), ...(file.append ?? [])];
    const contents = parts.map((part) => contentOf(part, `${name}: ${file.path}`));
    const remote = parts.find((_, index) => contents[index] === undefined)?.source ?? undefined;
    const whole = contents.filter((content) => content !== undefined);
    return {
      path: file.path,
      mode: file.mode ?? 0o644,
      content: remote === undefined ? Buffer.concat(whole) : undefined,
      source: remote,
    };
  });
}

/** The bytes of a `data:` URL, unfolded; undefined for anything that has to be fetched. */
export function contentOf(part: ParsedContents, name: string): Buffer | undefined {
  const source = part.source ?? '';
  if (source === '') return Buffer.alloc(0);
  const [, options, data] = /^data:([^,]*),([\s\S]*)$/i.exec(source) ?? [];
  if (data === undefined) return undefined;
  const bytes = /;base64$/i.test(options ?? '')
    ? Buffer.from(data, 'base64')
    : Buffer.from(decoded(data, name), 'utf8');
  return part.compression === 'gzip' ? unfold(bytes, name) : bytes;
}

function decoded(data: string, name: string): string {
  try {
    return decodeURIComponent(data);
  } catch (cause) {
    throw invalid(name, 'its data URL is not well formed', undefined, cause);
  }
}

function unfold(bytes: Buffer, name: string): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_CONTENT_BYTES });
  } catch (cause) {
    throw invalid(
      name,
      `its content cannot be decompressed (${messageOf(cause)})`,
      undefined,
      cause,
    );
  }
}

const NOT_IGNITION = 'Name a bootstrap.ign, master.ign or worker.ign of openshift-install';

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(name, `not JSON (${messageOf(cause)})`, NOT_IGNITION, cause);
  }
}

function invalid(name: string, found: string, hint?: string, cause?: unknown): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot read the Ignition config "${name}": ${found}`, {
    hint,
    cause,
    details: { path: name },
  });
}
