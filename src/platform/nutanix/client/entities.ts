import * as z from 'zod';

/** What is read of an entity; the rest is kept as it is, for it has to be sent back. */
export const entitySchema = z.looseObject({
  spec: z
    .looseObject({ name: z.string().optional(), description: z.string().optional() })
    .default({}),
  status: z
    .looseObject({
      name: z.string().optional(),
      execution_context: z.looseObject({ task_uuid: z.string().optional() }).optional(),
      resources: z
        .looseObject({
          power_state: z.string().optional(),
          nic_list: z
            .array(
              z.looseObject({
                ip_endpoint_list: z.array(z.looseObject({ ip: z.string().optional() })).optional(),
              }),
            )
            .optional(),
        })
        .default({}),
    })
    .default({ resources: {} }),
  metadata: z
    .looseObject({
      uuid: z.string().optional(),
      categories: z.record(z.string(), z.string()).optional(),
    })
    .default({}),
});

export type Entity = z.output<typeof entitySchema>;

export const listSchema = z.looseObject({ entities: z.array(entitySchema).default([]) });

export const taskSchema = z.looseObject({
  status: z.string().default(''),
  error_detail: z.string().default(''),
});

export const nameOf = ({ spec, status }: Entity): string => spec.name ?? status.name ?? '';
