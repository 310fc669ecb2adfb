import type { Context } from '../../core/context.ts';
import type { PreflightCheck } from '../platform.ts';
import { checked } from '../shared/checked.ts';
import { accessChecks } from '../shared/virtual-bastion.ts';
import { nameOf } from './client/entities.ts';
import { allOf, type EntityKind, entityOf, type Prism } from './client/prism.ts';
import { bastionImage, bastionSubnet, type NutanixSite } from './settings.ts';

/** Looks at Prism Central and at what the site names there, before anything is made. */
export async function nutanixPreflight(
  ctx: Context,
  prism: Prism,
  site: NutanixSite,
): Promise<PreflightCheck[]> {
  const login = await checked('Prism Central', async () => {
    await prism.call(ctx, `log in to ${prism.server}`, 'GET', 'users/me');
    return [{ subject: 'Prism Central', severity: 'ok', message: `${prism.server} answers` }];
  });
  // Without a login every other look would say the same again.
  if (login.some(({ severity }) => severity === 'error')) return login;
  const { prismElement, subnetUuid } = site.settings;
  const makes = site.bastion.address === undefined;
  const subnets = new Map([[subnetUuid, 'platform.subnetUuid']]);
  if (makes && bastionSubnet(site.settings) !== subnetUuid)
    subnets.set(bastionSubnet(site.settings), 'platform.bastion.subnetUuid');
  const look = (kind: EntityKind, uuid: string, setting: string) =>
    checked(kind, () => entityCheck(ctx, prism, { kind, uuid, setting }));
  const checks = [
    ...login,
    ...(await accessChecks(site)),
    ...imageChecks(site),
    ...(await look('cluster', prismElement.uuid, 'platform.prismElement.uuid')),
  ];
  for (const [uuid, setting] of subnets) checks.push(...(await look('subnet', uuid, setting)));
  if (makes) checks.push(...(await checked('image', () => namedImage(ctx, prism, site))));
  return checks;
}

async function entityCheck(
  ctx: Context,
  prism: Prism,
  { kind, uuid, setting }: { kind: EntityKind; uuid: string; setting: string },
): Promise<PreflightCheck[]> {
  const found = await entityOf(ctx, prism, kind, uuid);
  if (found) return [{ subject: kind, severity: 'ok', message: `${uuid} is ${nameOf(found)}` }];
  const there = (await allOf(ctx, prism, kind)).map(
    (each) => `${nameOf(each)} (${each.metadata.uuid})`,
  );
  return [
    {
      ...{
        subject: kind,
        severity: 'error',
        message: `There is no ${kind} ${uuid} in ${prism.server}`,
      },
      hint: `Correct ${setting}: there is ${there.toSorted().join(', ') || 'none that the user sees'}`,
    },
  ];
}

/** The installer fetches the image of its machines from the internet unless it is told of one. */
function imageChecks({ settings, disconnected, bastion }: NutanixSite): PreflightCheck[] {
  const { clusterOsImage, preloadedOsImage } = settings;
  const lacks: PreflightCheck[] = [];
  if (disconnected && clusterOsImage === undefined && preloadedOsImage === undefined)
    lacks.push({
      ...{ subject: 'platform.preloadedOsImage', severity: 'error', stops: 'boot' },
      message: 'The installer would fetch the image of the machines from the internet',
      hint: 'Upload the image that the release names and write platform.preloadedOsImage, or name an address inside: platform.clusterOsImage',
    });
  if (bastion.address === undefined && bastionImage(settings) === undefined)
    lacks.push({
      ...{ subject: 'platform.bastion.image', severity: 'error' },
      message: 'There is no image to make the bastion from',
      hint: 'Write platform.bastion.image, .imageUrl or platform.preloadedOsImage, or use a machine that is there: bastion.address',
    });
  return lacks;
}

async function namedImage(
  ctx: Context,
  prism: Prism,
  { settings }: NutanixSite,
): Promise<PreflightCheck[]> {
  const source = bastionImage(settings);
  if (source === undefined || !('name' in source)) return [];
  const names = (await allOf(ctx, prism, 'image')).map(nameOf);
  if (names.includes(source.name))
    return [{ subject: 'image', severity: 'ok', message: source.name }];
  const there = names.toSorted().map((name) => `"${name}"`);
  return [
    {
      ...{ subject: 'image', severity: 'error', message: `Prism has no image "${source.name}"` },
      hint: `Correct platform.bastion.image: there is ${there.join(', ') || 'none'}`,
    },
  ];
}
