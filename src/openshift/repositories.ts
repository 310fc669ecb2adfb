import { isAtLeast, type ReleaseVersion } from './version.ts';

/** Where Red Hat publishes releases and what they are made of. */
export const RELEASE_NAMESPACE = 'quay.io/openshift-release-dev';
export const RELEASE_REPOSITORY = `${RELEASE_NAMESPACE}/ocp-release`;

/** The catalog of Red Hat's own operators; its tags are minor versions, as in `v4.18`. */
export const OPERATOR_CATALOG = 'registry.redhat.io/redhat/redhat-operator-index';

/** Where a mirror keeps releases, below its prefix: the paths that oc-mirror made usual. */
export const RELEASE_IMAGES = 'openshift/release-images';
export const RELEASE_COMPONENTS = 'openshift/release';
export const GRAPH_IMAGE = 'openshift/graph-image';

/** Repositories of components, with the first release whose payload refers to each; older ones stay in use. */
const COMPONENT_REPOSITORIES = [
  { repository: `${RELEASE_NAMESPACE}/ocp-v4.0-art-dev`, since: '4.0' },
  { repository: `${RELEASE_NAMESPACE}/ocp-v5.0-art-dev`, since: '5.0' },
] as const;

/** The component repositories a release refers to; without a version, of all releases. */
export function componentRepositories(version?: ReleaseVersion): string[] {
  return COMPONENT_REPOSITORIES.filter(({ since }) => isAtLeast(version, since)).map(
    ({ repository }) => repository,
  );
}

/** Every repository an install of this release pulls from: the release image and its components. */
export function releaseRepositories(version?: ReleaseVersion): string[] {
  return [RELEASE_REPOSITORY, ...componentRepositories(version)];
}

/** What a release of any version needs: all that can be asked for where the version is not known. */
export const ALWAYS_NEEDED_REPOSITORIES: readonly string[] = releaseRepositories({
  major: 4,
  minor: 0,
});
