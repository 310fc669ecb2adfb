import { type OpenRelease, openRelease } from '../../src/content/release/open-release.ts';
import { silentContext } from '../../src/core/context.ts';
import { parseReference } from '../../src/oci/reference.ts';
import { upstreamSource } from './upstream-source.ts';

/** The release 4.18.1 of the fixture, by name and digest. */
export const RELEASE_NAME = 'quay.io/openshift-release-dev/ocp-release:4.18.1-x86_64';
export const RELEASE_DIGEST =
  'sha256:d32a31796b2fe3e1c058a43d90f0345664bbf113dfab6f3cf17115707705d8d0';

/** At a time at which the fixture's signatures hold. */
export const RELEASE_TIME = silentContext({ now: () => new Date('2027-06-01T00:00:00Z') });

export async function fixtureRelease(): Promise<OpenRelease> {
  const reference = parseReference(RELEASE_NAME);
  const source = {
    ...upstreamSource(reference),
    endpoint: 'quay.io/openshift-release-dev/ocp-release',
  };
  const tagOrDigest = '4.18.1-x86_64';
  return await openRelease(RELEASE_TIME, { reference, source, tagOrDigest, shown: RELEASE_NAME });
}
