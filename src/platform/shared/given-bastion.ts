import { AtollError } from '../../core/errors.ts';
import type { Host } from '../../host/host.ts';
import { localHost } from '../../host/local-host.ts';
import type { PlatformSite, PreflightCheck } from '../platform.ts';

type Bastion = PlatformSite['bastion'];

const isHere = ({ address }: Bastion) => address === undefined || address === 'localhost';

/** A bastion that is there already: this machine, unless the site names another. */
export function givenBastion(bastion: Bastion) {
  return {
    plan: [isHere(bastion) ? 'use this machine' : `use ${bastion.address}`],
    checks: isHere(bastion) ? [] : [unreachable(bastion)],
    host: async () => hostOf(bastion),
    close: async () => undefined,
  };
}

function hostOf(bastion: Bastion): Host {
  if (isHere(bastion)) return localHost();
  const { message, hint } = unreachable(bastion);
  throw new AtollError('NOT_BUILT', message, { hint });
}

const unreachable = ({ address }: Bastion): PreflightCheck => ({
  subject: 'bastion',
  severity: 'error',
  message: `Cannot work on the bastion "${address}": atoll does not reach other machines yet`,
  hint: 'Run atoll on the bastion itself, without bastion.address',
});
