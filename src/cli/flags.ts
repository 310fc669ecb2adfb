import type { OptionSpec } from './command.ts';

type Remarks = Omit<Partial<OptionSpec>, 'type' | 'value' | 'summary'>;
type None = Readonly<Record<never, never>>;

function spec<T extends OptionSpec['type'], const R extends Remarks>(
  type: T,
  value: string,
  summary: string,
  remarks?: R,
) {
  return { type, value, summary, ...remarks } as {
    readonly type: T;
    readonly value: string;
    readonly summary: string;
  } & R;
}

/** A flag with one value; `value` stands for it in help. */
export const text = <const R extends Remarks = None>(value: string, summary: string, remarks?: R) =>
  spec('string', value, summary, remarks);

export const number = <const R extends Remarks = None>(
  value: string,
  summary: string,
  remarks?: R,
) => spec('number', value, summary, remarks);

/** A flag that may be given more than once. */
export const texts = <const R extends Remarks = None>(
  value: string,
  summary: string,
  remarks?: R,
) => spec('strings', value, summary, remarks);

/** A switch; one that is on by itself is switched off with `--no-…`. */
export const onOff = <const R extends Remarks = None>(summary: string, remarks?: R) =>
  ({ type: 'boolean', summary, ...remarks }) as {
    readonly type: 'boolean';
    readonly summary: string;
  } & R;
