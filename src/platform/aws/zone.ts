import type { Context } from '../../core/context.ts';
import { childrenOf, textOf, under, type Xml } from '../shared/xml.ts';
import type { Aws } from './client/aws.ts';
import { awsNameOf } from './client/failure.ts';

const ROOT = '/2013-04-01/hostedzone';

/** A record that is another name for a load balancer. */
export interface AliasRecord {
  readonly name: string;
  readonly target: string;
  /** The zone AWS keeps the load balancer in. */
  readonly targetZone: string;
}

/** Points a name of a zone at a load balancer, whatever it pointed at. */
export async function putAlias(
  ctx: Context,
  aws: Aws,
  zone: string,
  record: AliasRecord,
): Promise<void> {
  await change(ctx, aws, zone, 'UPSERT', [aliasXml(record)]);
}

function aliasXml({ name, target, targetZone }: AliasRecord): string {
  return (
    `<ResourceRecordSet><Name>${escaped(name)}</Name><Type>A</Type><AliasTarget>` +
    `<HostedZoneId>${escaped(targetZone)}</HostedZoneId><DNSName>${escaped(target)}</DNSName>` +
    '<EvaluateTargetHealth>false</EvaluateTargetHealth></AliasTarget></ResourceRecordSet>'
  );
}

/** Removes the records of a zone that a test takes; those every zone has are never asked about. */
export async function removeRecords(
  ctx: Context,
  aws: Aws,
  zone: string,
  takes: (name: string) => boolean,
): Promise<string[]> {
  const records = (await recordsOf(ctx, aws, zone)).filter(
    (record) => !/^(?:NS|SOA)$/.test(textOf(record, 'Type')) && takes(nameOf(record)),
  );
  if (records.length > 0) await change(ctx, aws, zone, 'DELETE', records.map(recordXml));
  return records.map(nameOf);
}

const nameOf = (record: Xml) =>
  textOf(record, 'Name').replace(String.raw`\052`, '*').replace(/\.$/, '');

async function recordsOf(ctx: Context, aws: Aws, zone: string): Promise<readonly Xml[]> {
  try {
    const answer = await aws.rest(ctx, 'route53', {
      action: 'ListResourceRecordSets',
      method: 'GET',
      path: `${ROOT}/${zone}/rrset`,
    });
    return childrenOf(under(answer, 'ResourceRecordSets'), 'ResourceRecordSet');
  } catch (error) {
    if (awsNameOf(error) === 'NoSuchHostedZone') return [];
    throw error;
  }
}

async function change(
  ctx: Context,
  aws: Aws,
  zone: string,
  action: 'UPSERT' | 'DELETE',
  records: readonly string[],
): Promise<void> {
  const changes = records.map((record) => `<Change><Action>${action}</Action>${record}</Change>`);
  await aws.rest(ctx, 'route53', {
    action: 'ChangeResourceRecordSets',
    method: 'POST',
    path: `${ROOT}/${zone}/rrset/`,
    headers: { 'content-type': 'application/xml' },
    body:
      '<?xml version="1.0" encoding="UTF-8"?><ChangeResourceRecordSetsRequest xmlns="https://route53.amazonaws.com/doc/2013-04-01/">' +
      `<ChangeBatch><Changes>${changes.join('')}</Changes></ChangeBatch></ChangeResourceRecordSetsRequest>`,
  });
}

/** A record exactly as it was listed: a removal has to name all of it. */
function recordXml(record: Xml): string {
  return `<ResourceRecordSet>${elementsXml(record)}</ResourceRecordSet>`;
}

function elementsXml(xml: Xml): string {
  if (typeof xml === 'string') return escaped(xml);
  return Object.entries(xml)
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((each) => [name, each] as const),
    )
    .filter(([name]) => name !== 'xmlns')
    .map(([name, value]) => `<${name}>${elementsXml((value ?? '') as Xml)}</${name}>`)
    .join('');
}

const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
