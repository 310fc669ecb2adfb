import * as z from 'zod';

/** A schema for others: editors, and programs that read what atoll writes. */
export function publishedSchema(name: string, title: string, schema: z.ZodType): object {
  return {
    $id: `urn:atoll:schema:${name}:1`,
    title,
    // Of a field that is computed from others only what is written is described.
    ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
  };
}
