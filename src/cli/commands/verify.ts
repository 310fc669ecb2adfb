import { withCluster } from '../../cluster/connect.ts';
import type { CheckResult } from '../../cluster/verify/check.ts';
import type { Expectation } from '../../cluster/verify/snapshot.ts';
import { type ClusterVerification, verifyCluster } from '../../cluster/verify/verify.ts';
import type { Context } from '../../core/context.ts';
import { ERROR_CODES } from '../../core/error-codes.ts';
import { AtollError } from '../../core/errors.ts';
import { clusterExpectation } from '../../site/cluster-objects.ts';
import type { SiteInputs } from '../../site/inputs.ts';
import { siteExpectation } from '../../site/stages/verify.ts';
import { CLUSTER_OPTIONS, kubeconfigFor, siteIfAny } from '../cluster-options.ts';
import { defineCommand, type Style } from '../command.ts';
import { text, texts } from '../flags.ts';
import { withSite } from '../site-options.ts';

const SHOWN = 8;

export const verifyCommand = defineCommand({
  name: 'verify',
  summary: 'Does the cluster live, and from the mirror alone?',
  description:
    'Looks at version, operators, nodes, pools, certificate requests, pulls, the provenance of every image ' +
    'that runs, catalogs, pinned images, signatures, certificates, and at what wants to get out. Each finding comes with its ' +
    'evidence and the next command. Exits 0 when all holds, 6 when something does not or could not be looked at.',
  options: {
    ...CLUSTER_OPTIONS,
    mirror: text(
      'HOST[:PORT]',
      'The mirror; else that of the site, or every host that mirror rules lead to',
    ),
    release: text('VERSION', 'The version that the cluster must run'),
    node: texts('NAME', 'A node that must be there'),
  },
  examples: {
    'atoll verify': 'the cluster of the site in atoll.yaml',
    'atoll verify --kubeconfig auth/kubeconfig --mirror mirror.example.com:8443': 'any cluster',
    'atoll verify --output json': 'for programs',
  },
  async run(ctx, input): Promise<ClusterVerification> {
    const { options, terminal } = input;
    const site = await siteIfAny(input);
    const known = site ? await expectationOf(ctx, input, site) : {};
    const kubeconfig = await kubeconfigFor(ctx, input, site);
    const connection = { kubeconfig, context: options.context, env: terminal.env };
    return await withCluster(ctx, connection, (resources) =>
      verifyCluster(ctx, resources, {
        ...known,
        ...(options.mirror ? { mirror: options.mirror } : {}),
        ...(options.release ? { version: options.release } : {}),
        ...(options.node.length > 0 ? { nodes: options.node } : {}),
      }),
    );
  },
  text: ({ server, version, holds, checks }, style) =>
    [
      `${holds ? style.green('holds') : style.red('does not hold')}: ${version ?? 'a cluster'} at ${server}`,
      ...checks.flatMap((one) => checkLines(one, style)),
    ].join('\n'),
  exitCode: ({ holds }) => (holds ? 0 : ERROR_CODES.CLUSTER_FAILED.exit),
});

/** With what the log of the mirror proves, where it can be read. */
async function expectationOf(
  ctx: Context,
  input: Parameters<typeof withSite>[1],
  site: SiteInputs,
): Promise<Expectation> {
  try {
    return await withSite(ctx, input, 'look', ({ work }) => siteExpectation(ctx, work));
  } catch (error) {
    if (ctx.signal.aborted || !(error instanceof AtollError)) throw error;
    const message = `Not looked at: what machines pulled from the mirror (${error.message})`;
    ctx.emit({ type: 'note.added', message });
    return await clusterExpectation(site);
  }
}

function checkLines({ title, outcome, message, evidence, commands }: CheckResult, style: Style) {
  const colour = { holds: style.green, fails: style.red, unknown: style.yellow }[outcome];
  const more = evidence.length - SHOWN;
  return [
    `${colour(outcome.padEnd(7))} ${style.bold(title)}: ${message}`,
    ...evidence.slice(0, SHOWN).map((line) => `  ${style.dim('seen')} ${line}`),
    ...(more > 0 ? [`  … ${more} more; --output json shows all`] : []),
    ...commands.map((line) => `  ${style.dim('next')} ${style.cyan(line)}`),
  ];
}
