import * as z from 'zod';

// What an install-config is made from. All of it may be absent; what must be there, checks say, since
// they can say why. Fields that nobody knows are kept, so that a check can name them.

/** A number or a truth value where text belongs is text to the installer too. */
export const word = z.preprocess((value) => (isScalar(value) ? String(value) : value), z.string());
const isScalar = (value: unknown) => typeof value === 'number' || typeof value === 'boolean';

export const text = word.optional();
export const texts = z.array(word).optional();
export const tags = z.record(z.string(), word).optional();
export const whole = z.int().optional();
export const flag = z.boolean().optional();

export const part = <S extends z.ZodRawShape>(shape: S) => z.looseObject(shape).optional();
export const list = <S extends z.ZodRawShape>(shape: S) => z.array(z.looseObject(shape)).optional();

/** The fields of a section, as checks see them. */
export type Fields<S extends z.ZodRawShape> = z.infer<z.ZodObject<S, z.core.$loose>>;

/** What an operator writes; there, a misspelled field is refused at once. */
export const given = z.string().min(1);

/** The type of an input, for callers that change nothing. */
export type Given<S extends z.ZodType> = Frozen<z.infer<S>>;
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;
