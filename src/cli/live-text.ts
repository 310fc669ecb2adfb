import { formatBytes } from '../core/format.ts';
import { PHASES } from '../site/watch/phases.ts';
import type { InstallSnapshot, LiveDiagnosis } from '../site/watch/watch-running.ts';
import type { Style } from './command.ts';
import { columns } from './table.ts';

/** A running install for people: how far it is, who pulls what, what is wrong. */
export function installLines(
  { phase, machines, cluster, causes, log }: InstallSnapshot,
  style: Style,
): string[] {
  const settled = cluster?.operators.filter((one) => one.settled).length ?? 0;
  const ready = cluster?.nodes.filter((one) => one.ready).length ?? 0;
  const state = cluster?.isInstalled ? 'The cluster is up' : PHASES[phase].title;
  return [
    style.bold(state),
    cluster
      ? `API answers: ${ready} of ${cluster.nodes.length} nodes ready, ${settled} of ${cluster.operators.length} operators available`
      : 'API does not answer',
    ...columns(
      machines.map(({ machine, image, images, bytes, at }) => [
        machine,
        image,
        `${images} images`,
        formatBytes(bytes),
        style.dim(at),
      ]),
      { right: [2, 3] },
    ),
    ...causes.flatMap(({ message, hint, isDead }) => [
      `${isDead ? style.red('dead') : style.yellow('wrong')} ${message}`,
      `  ${style.dim('next')} ${hint}`,
    ]),
    style.dim(`log: ${log}`),
  ];
}

export function liveLines({ install, unseen }: LiveDiagnosis, style: Style): string[] {
  return [
    ...installLines(install, style),
    ...unseen.map((what) => `${style.dim('not looked at:')} ${what}`),
  ];
}
