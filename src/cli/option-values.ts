import { parseBytes } from '../core/format.ts';
import { referenceIfValid } from '../oci/reference.ts';
import type { OptionSpec } from './command.ts';

type Check = (text: string) => string | undefined;

const matching =
  (pattern: RegExp, problem: string): Check =>
  (text) =>
    pattern.test(text) ? undefined : problem;

const reference: Check = (text) =>
  referenceIfValid(text) ? undefined : 'It is no image: HOST/REPOSITORY:TAG.';

const within =
  (least: number, most: number, problem: string): Check =>
  (text) =>
    Number.isInteger(Number(text)) && Number(text) >= least && Number(text) <= most
      ? undefined
      : problem;

const atLeast = (least: number) =>
  within(least, Number.MAX_SAFE_INTEGER, `It is no whole number from ${least} on.`);

const bytes: Check = (text) =>
  (parseBytes(text) ?? 0) > 0 ? undefined : 'It is no number of bytes, such as 700M or 4G.';

const host = matching(
  /^(?!.*:\/\/)[\w.*:[\]/-]+$/,
  'It is no host: NAME[:PORT], without https://.',
);

/** What a value has to be, by what stands for it in help. Others have to be there, in one line. */
const CHECKS: Readonly<Record<string, Check>> = {
  BYTES: bytes,
  'BYTES/S': bytes,
  COUNT: atLeast(0),
  DAYS: within(1, 3650, 'It is no number of days: 1 to 3650.'),
  DEVICE: matching(/^\/dev\/\S+$/, 'It is no device: /dev/NAME.'),
  GIB: atLeast(1),
  HASH: matching(
    /^sha(?:256-[\da-f]{64}|512-[\da-f]{128})$/,
    'It is no hash: sha512-HEX or sha256-HEX.',
  ),
  HOST: host,
  'HOST[/PATH]': host,
  'HOST[:PORT]': host,
  IMAGE: reference,
  LIFE: matching(
    /^(?:\d+(?:\.\d+)?[smhdw]|never)$/,
    'It is no life of a token: 12h, 90d or never.',
  ),
  N: atLeast(1),
  // As many as the configuration of a registry allows: thousands would take the machine away.
  PROCESSES: within(1, 64, 'It is no number of processes: 1 to 64.'),
  PORT: within(1, 65_535, 'It is no port: 1 to 65535.'),
  REGION: matching(/^[a-z]+(?:-[a-z]+)+-\d+$/, 'It is no region, such as us-east-1.'),
  REPOSITORY: reference,
  TIME: matching(/^(?:\d+(?:\.\d+)?(?:h|m|s|ms))+$/, 'It is no time, such as 30m or 1h.'),
  URL: matching(/^[a-z][\w+.-]*:\S+$/i, 'It is no URL: https://HOST/PATH.'),
};

/** What is wrong with the value of an option, as a sentence; undefined when nothing is. */
export function problemOf(text: string, { type, value = '' }: OptionSpec): string | undefined {
  if (text.trim() === '') return 'It is empty.';
  // A line break would end a line of a unit or a configuration file.
  if (/\p{Cc}/u.test(text)) return 'It holds a line break or another control character.';
  if (type === 'number' && !Number.isFinite(Number(text))) return 'It is not a number.';
  return CHECKS[value]?.(text);
}
