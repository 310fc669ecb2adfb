import { readAsset } from '../../core/assets.ts';
import { splitDigest } from '../../oci/digest.ts';
import { parseReference } from '../../oci/reference.ts';
import type { BundleImage, BundleIndex } from './bundle-index.ts';

// What a bundle holds and where it came from, in the forms that auditors read. Without a date on purpose: the
// same content gives the same bytes.

const NO_DATE = '1970-01-01T00:00:00Z';
const version = (): string => readAsset('version.txt').trim();

/** A bill of materials, SPDX 2.3: each image once, with all names it came under. */
export function spdxText(index: BundleIndex): string {
  const images = [...byDigest(index.images).values()];
  const packages = images.map((same) => imagePackage(same));
  return json({
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `atoll bundle ${index.id}`,
    documentNamespace: `https://spdx.org/spdxdocs/atoll-bundle-${index.id}`,
    creationInfo: { created: NO_DATE, creators: [`Tool: atoll-${version()}`] },
    packages: [{ SPDXID: BUNDLE, name: `bundle ${index.id}`, ...UNSAID }, ...packages],
    relationships: [
      relation('SPDXRef-DOCUMENT', 'DESCRIBES', BUNDLE),
      ...packages.map(({ SPDXID }) => relation(BUNDLE, 'CONTAINS', SPDXID)),
    ],
  });
}

const BUNDLE = 'SPDXRef-bundle';

/** Licences are not looked for: SPDX says NOASSERTION. */
const UNSAID = {
  downloadLocation: 'NOASSERTION',
  filesAnalyzed: false,
  licenseConcluded: 'NOASSERTION',
  licenseDeclared: 'NOASSERTION',
  copyrightText: 'NOASSERTION',
};

function imagePackage([image, ...others]: readonly [BundleImage, ...BundleImage[]]) {
  const { repository, registry, tag } = parseReference(image.source);
  const { algorithm, hex } = splitDigest(image.digest);
  const name = repository.slice(repository.lastIndexOf('/') + 1);
  const purl = `pkg:oci/${name}@${encodeURIComponent(image.digest)}?repository_url=${registry}/${repository}`;
  return {
    ...UNSAID,
    SPDXID: `SPDXRef-image-${hex.slice(0, 24)}`,
    name: `${registry}/${repository}`,
    versionInfo: tag ?? image.digest,
    checksums: [{ algorithm: algorithm.toUpperCase(), checksumValue: hex }],
    externalRefs: [
      { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl },
    ],
    comment: [image, ...others].map(({ reason }) => reason).join('; '),
  };
}

const relation = (spdxElementId: string, relationshipType: string, relatedSpdxElement: string) => ({
  spdxElementId,
  relationshipType,
  relatedSpdxElement,
});

/** Where everything came from, as an in-toto statement about the index and the chunks. */
export function provenanceText(index: BundleIndex, indexSha256: string): string {
  const { chunks, images, attachments, signatures, since } = index;
  const signed = new Set([
    ...attachments.map(({ of }) => of),
    ...signatures.map((each) => each.digest),
  ]);
  return json({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [
      { name: 'bundle.json', digest: { sha256: indexSha256 } },
      ...chunks.map(({ file, sha256 }) => ({ name: file, digest: { sha256 } })),
    ],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'atoll-bundle/1',
        externalParameters: { bundle: index.id, since },
        resolvedDependencies: images.map((image) => ({
          uri: image.source,
          digest: digestEntry(image.digest),
          mediaType: image.mediaType,
          annotations: {
            kind: image.kind,
            reason: image.reason,
            signatures: signed.has(image.digest) ? 'carried' : 'none',
          },
        })),
      },
      runDetails: { builder: { id: 'atoll mirror save', version: { atoll: version() } } },
    },
  });
}

function digestEntry(digest: BundleImage['digest']) {
  const { algorithm, hex } = splitDigest(digest);
  return { [algorithm]: hex };
}

function byDigest(images: readonly BundleImage[]): Map<string, [BundleImage, ...BundleImage[]]> {
  const found = new Map<string, [BundleImage, ...BundleImage[]]>();
  for (const image of images) {
    const same = found.get(image.digest);
    if (same) same.push(image);
    else found.set(image.digest, [image]);
  }
  return found;
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;
