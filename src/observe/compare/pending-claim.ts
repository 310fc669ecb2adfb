import type { EvidenceLine } from '../evidence.ts';
import { type Comparison, firstMatch } from './comparison.ts';

const NOT_UP =
  /minimum availability|MinimumReplicasUnavailable|unbound (?:immediate )?PersistentVolumeClaims|\b0\/\d+ +Pending\b|ContainerCreating|\b(?:is|been) degraded|timed out waiting/i;
/** What "oc describe pvc" tells, in the order that it prints it. */
const FIELD = /^(?<name>Name|StorageClass|Status|Used By|Mounted By): +(?<value>\S.*?)\s*$/;
const PENDING = /^Status: +Pending\s*$/;
const BEFORE = 4;
const BEHIND = 16;

/** Something does not come up, and the claim that is described beside it has no volume. */
export const pendingClaim: Comparison = (lines) => {
  const notUp = firstMatch(lines, NOT_UP)?.line;
  const at = lines.findIndex(({ text }) => PENDING.test(text));
  if (!notUp || at < 0) return undefined;
  const described = lines
    .slice(Math.max(0, at - BEFORE), at + BEHIND)
    .filter(({ text }) => FIELD.test(text));
  const fields = fieldsOf(described);
  const claim = fields.get('Name');
  const storageClass = fields.get('StorageClass');
  const user = fields.get('Used By') ?? fields.get('Mounted By') ?? '<none>';
  if (!claim || !storageClass || user === '<none>') return undefined;
  return {
    id: 'compared-pending-claim',
    cause: `The claim ${claim} has no volume yet (Pending, of the storage class ${storageClass}), and ${user} cannot start without it`,
    remedy: WHY,
    evidence: [notUp, ...described],
    decides: /says-condition|says-operator|claim/,
  };
};

const fieldsOf = (lines: readonly EvidenceLine[]): ReadonlyMap<string, string> =>
  new Map(
    lines.map(({ text }) => {
      const { name = '', value = '' } = FIELD.exec(text)?.groups ?? {};
      return [name, value];
    }),
  );

const WHY =
  'Its events ("oc describe pvc") and the log of the provisioner say why: the class or the provisioner is not there, or it may not write where volumes are made (of NFS: owner and mode of the export)';
