import * as z from 'zod';
import { AtollError } from '../../../core/errors.ts';
import { by } from '../../../core/order.ts';
import type { Digest } from '../../../oci/digest.ts';
import { parseReference, type Reference } from '../../../oci/reference.ts';

/** One image of a payload. */
export interface Component {
  readonly name: string;
  /** Where upstream has it, always by digest and never by tag. */
  readonly image: Reference & { readonly digest: Digest };
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ImageReferences {
  /** The release's name, such as `4.18.1`. */
  readonly name: string;
  readonly created: string | undefined;
  /** In order of their names. */
  readonly components: readonly Component[];
}

const schema = z.looseObject({
  kind: z.literal('ImageStream'),
  apiVersion: z.literal('image.openshift.io/v1'),
  metadata: z.looseObject({ name: z.string().min(1), creationTimestamp: z.string().nullish() }),
  spec: z.looseObject({
    tags: z.array(
      z.looseObject({
        name: z.string().min(1),
        annotations: z.record(z.string(), z.string()).nullish(),
        from: z.looseObject({ kind: z.string(), name: z.string() }).nullish(),
      }),
    ),
  }),
});

/** Parses `release-manifests/image-references` with the same strictness as `oc`. */
export function parseImageReferences(text: string, shown: string): ImageReferences {
  const parsed = schema.safeParse(parseJson(text, shown));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw invalid(shown, `${issue?.path.join('.') || 'document'}: ${issue?.message}`);
  }
  const { metadata, spec } = parsed.data;
  const components = spec.tags.flatMap(({ name, from, annotations }) =>
    from?.kind === 'DockerImage'
      ? [{ name, image: pinned(from.name, name, shown), annotations: annotations ?? {} }]
      : [],
  );
  return {
    name: metadata.name,
    created: metadata.creationTimestamp ?? undefined,
    components: components.toSorted(by(({ name }) => name)),
  };
}

function pinned(text: string, name: string, shown: string): Component['image'] {
  const { digest, tag, ...image } = parseReference(text);
  if (digest === undefined) throw invalid(shown, `"${name}" is not pinned by digest`);
  if (tag !== undefined) throw invalid(shown, `"${name}" has a tag as well as a digest`);
  return { ...image, digest };
}

function parseJson(text: string, shown: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(shown, 'it is not JSON', cause);
  }
}

function invalid(shown: string, found: string, cause?: unknown): AtollError {
  return new AtollError('PAYLOAD_INVALID', `Cannot read image-references of ${shown}: ${found}`, {
    cause,
  });
}
