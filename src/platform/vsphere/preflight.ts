import type { Context } from '../../core/context.ts';
import type { PreflightCheck } from '../platform.ts';
import { checked } from '../shared/checked.ts';
import { accessChecks } from '../shared/virtual-bastion.ts';
import type { Vcenter } from './client/vcenter.ts';
import { findPlace } from './find-place.ts';
import { type InventoryPlace, placesOf, type VsphereSite } from './places.ts';
import { BASTION_PRIVILEGES, privilegeChecks } from './privileges.ts';

/** Looks at the vCenter and at what the site names there, before anything is made. */
export async function vspherePreflight(
  ctx: Context,
  vcenter: Vcenter,
  site: VsphereSite,
): Promise<PreflightCheck[]> {
  const login = await checked('vCenter', () => loginCheck(ctx, vcenter));
  // Without a session every other look would say the same again.
  if (login.some(({ severity }) => severity === 'error')) return login;
  return [
    ...login,
    ...(await accessChecks(site)),
    ...imageChecks(site),
    ...(await placeChecks(ctx, vcenter, site)),
  ];
}

async function loginCheck(ctx: Context, vcenter: Vcenter): Promise<PreflightCheck[]> {
  const { fullName } = await vcenter.about(ctx);
  await vcenter.session(ctx);
  return [{ subject: 'vCenter', severity: 'ok', message: `${vcenter.server} is ${fullName}` }];
}

/** The installer fetches the image of its machines from the internet unless it is told of one. */
function imageChecks({ settings, disconnected, bastion }: VsphereSite): PreflightCheck[] {
  const { template, clusterOsImage } = settings;
  const lacks: PreflightCheck[] = [];
  if (disconnected && template === undefined && clusterOsImage === undefined)
    lacks.push({
      subject: 'platform.template',
      severity: 'error',
      stops: 'boot',
      message: 'The installer would fetch the image of the machines from the internet',
      hint: 'Import the OVA of CoreOS that the release names and write platform.template, or name an address inside: platform.clusterOsImage',
    });
  if (bastion.address === undefined && placesOf(settings).bastionTemplate === undefined)
    lacks.push({
      subject: 'platform.bastion.template',
      severity: 'error',
      message: 'There is no template to make the bastion from',
      hint: 'Write platform.template or platform.bastion.template, or use a machine that is there: bastion.address',
    });
  return lacks;
}

async function placeChecks(
  ctx: Context,
  vcenter: Vcenter,
  { settings, bastion }: VsphereSite,
): Promise<PreflightCheck[]> {
  const { bastionNetwork, bastionTemplate, ...places } = placesOf(settings);
  const made = bastion.address === undefined ? { bastionNetwork, bastionTemplate } : {};
  const checks: PreflightCheck[] = [];
  for (const [name, place] of Object.entries({ ...places, ...made })) {
    if (place === undefined) continue;
    const wanted = bastion.address === undefined ? privilegesAt(name) : [];
    checks.push(...(await checked(place.what, () => placeCheck(ctx, vcenter, place, wanted))));
    // In a datacenter that is not there nothing else is.
    if (name === 'datacenter' && checks.some(({ severity }) => severity === 'error')) return checks;
  }
  return checks;
}

const privilegesAt = (name: string): readonly string[] =>
  Object.entries(BASTION_PRIVILEGES).find(([place]) => place === name)?.[1] ?? [];

async function placeCheck(
  ctx: Context,
  vcenter: Vcenter,
  place: InventoryPlace,
  wanted: readonly string[],
): Promise<PreflightCheck[]> {
  const ref = await findPlace(ctx, vcenter, place);
  const found = { subject: place.what, severity: 'ok', message: place.path } as const;
  if (wanted.length === 0) return [found];
  return [found, ...(await privilegeChecks(ctx, vcenter, { ref, path: place.path }, wanted))];
}
