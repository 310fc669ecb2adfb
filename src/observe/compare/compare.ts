import type { EvidenceLine } from '../evidence.ts';
import type { Finding } from '../findings.ts';
import { evidenceOf, type LikelyCause } from '../plain/likely-cause.ts';
import { quoteLine } from '../quote-line.ts';
import { ansibleTask } from './ansible-task.ts';
import { certificateDates } from './certificate-dates.ts';
import type { Compared, Comparison } from './comparison.ts';
import { danglingLink } from './dangling-link.ts';
import { deniedByPolicy } from './denied-by-policy.ts';
import { doubledDomain } from './doubled-domain.ts';
import { foundNow } from './found-now.ts';
import { freeRoom } from './free-room.ts';
import { listedContent } from './listed-content.ts';
import { nfsExports } from './nfs-exports.ts';
import { nodesNotReady } from './nodes-not-ready.ts';
import { openPorts } from './open-ports.ts';
import { pendingClaim } from './pending-claim.ts';
import { portHolder } from './port-holder.ts';
import { routersWithoutWorkers } from './routers-without-workers.ts';
import { selinuxLabel } from './selinux-label.ts';
import { storedLogins } from './stored-logins.ts';
import { wildcardAnswers } from './wildcard-answers.ts';
import { withoutProxy } from './without-proxy.ts';

const COMPARISONS: readonly Comparison[] = [
  portHolder,
  deniedByPolicy,
  selinuxLabel,
  nfsExports,
  freeRoom,
  storedLogins,
  listedContent,
  certificateDates,
  openPorts,
  withoutProxy,
  danglingLink,
  foundNow,
  doubledDomain,
  ansibleTask,
  pendingClaim,
  routersWithoutWorkers,
  wildcardAnswers,
  nodesNotReady,
];

/** The first that several lines of one text say together. */
export function comparedIn(texts: readonly (readonly EvidenceLine[])[]): Compared | undefined {
  for (const lines of texts) {
    for (const compare of COMPARISONS) {
      const compared = compare(lines);
      if (compared) return compared;
    }
  }
  return undefined;
}

/** As many lines as show on what it rests. */
const SHOWN = 4;

/** Both sentences hold words of the text: nothing of them may be a secret or act on a terminal. */
const toldOf = ({ cause, remedy, evidence }: Compared) => ({
  cause: quoteLine(cause),
  remedy: quoteLine(remedy),
  evidence: evidence.slice(0, SHOWN).map(evidenceOf),
});

/** The cause that rules named, said more precisely where the text decides between what it may be. */
export function decided(
  findings: readonly Finding[],
  compared: Compared | undefined,
): readonly Finding[] {
  const meant = compared && findings.find((one) => one.kind === 'root' && isMeant(one, compared));
  if (!compared || !meant) return findings;
  const { causeId } = compared;
  const precise = { ...meant, ...toldOf(compared), ...(causeId ? { causeId } : {}) };
  return findings.map((one) => (one === meant ? precise : one));
}

const isMeant = ({ id, causeId }: Finding, { decides }: Compared): boolean =>
  decides.test(id) || decides.test(causeId ?? '');

/** Where no rule named a cause: what several lines say together, before what one of them says. */
export function likelyOf(
  likely: LikelyCause | undefined,
  compared: Compared | undefined,
): LikelyCause | undefined {
  if (!compared || (likely && !compared.decides.test(likely.id))) return likely;
  return { id: compared.id, count: 1, ...toldOf(compared) };
}
