import { formatReference, type Reference } from '../../oci/reference.ts';
import { GRAPH_IMAGE, RELEASE_COMPONENTS, RELEASE_IMAGES } from '../../openshift/repositories.ts';
import type { WantedImage } from '../images/wanted-image.ts';
import type { NodeConfig } from '../node/node-config.ts';

/** Command lines of atoll, as a person would type them. */

/** One image, with its signatures, from where it comes from to where nodes look for it. */
export function copyCommand(image: WantedImage, target: Reference): string[] {
  const to = formatReference(target);
  if (image.name === to) return [];
  return [`atoll mirror copy docker://${image.name} docker://${to}`];
}

/** Everything of an image set again; what is in place is not sent twice. */
export function syncCommand(image: WantedImage, target: Reference, imageSet: string): string {
  return `atoll mirror sync -c ${imageSet} --to docker://${destinationOf(image, target)}`;
}

const RELEASE_PATHS = [RELEASE_IMAGES, RELEASE_COMPONENTS, GRAPH_IMAGE];

/** `HOST[/PATH]` that was given to `--to`, from where one image ended up below it. */
function destinationOf({ reference }: WantedImage, { registry, repository }: Reference): string {
  const tails = [...RELEASE_PATHS, reference.repository];
  const tail = tails.find((path) => repository === path || repository.endsWith(`/${path}`));
  const path = tail === undefined ? '' : repository.slice(0, -tail.length).replace(/\/$/, '');
  return path === '' ? registry : `${registry}/${path}`;
}

export function loginCommand(config: NodeConfig, registry: string, username?: string): string {
  const { pullSecret } = config.origins;
  const file = /\s/.test(pullSecret) ? 'pull-secret.json' : pullSecret;
  const user = username ?? 'NAME';
  return `atoll render auth --existing ${file} --registry ${registry} --username ${user} --to ${file} < PASSWORD_FILE`;
}

/** A rule for nodes that pulls by digest or by tag. */
export function ruleCommand(pulls: 'digest' | 'tag', source: string, mirror: string): string {
  const flag = pulls === 'digest' ? '--rule' : '--tag-rule';
  return `atoll render mirror-sets ${flag} ${source}=${mirror}`;
}
