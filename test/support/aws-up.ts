import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { silentContext } from '../../src/core/context.ts';
import { toYaml } from '../../src/core/yaml.ts';
import { listOf, textOf } from '../../src/platform/shared/xml.ts';
import { type AtollProcess, startAtoll } from './atoll-process.ts';
import { type AwsLab, startAwsLab } from './aws-lab.ts';
import { ledTo } from './aws-site.ts';
import { freePort } from './docker-registry.ts';
import type { EmbeddedRegistry } from './embedded-registry.ts';
import { labSiteParts, makeLabUpstream } from './lab-upstream.ts';
import { type Sshd, startSshd } from './sshd.ts';
import { tempDir } from './temp.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');

/** An account of moto, an sshd that stands for every bastion, and an upstream with releases. */
export interface AwsGround {
  readonly lab: AwsLab;
  readonly sshd: Sshd;
  readonly upstream: EmbeddedRegistry;
  /** Where the upstream keeps what sites need of it. */
  readonly folder: string;
  stop(): Promise<void>;
}

export async function startAwsGround(folder: string, installer?: string): Promise<AwsGround> {
  const lab = await startAwsLab();
  const sshd = await startSshd();
  const upstream = await makeLabUpstream(folder, installer);
  const stop = async () => {
    await upstream.stop();
    await sshd.remove();
    await lab.stop();
  };
  return { lab, sshd, upstream, folder, stop };
}

/** A site on AWS for the command itself. */
export interface AwsUpSite {
  readonly folder: string;
  readonly name: string;
  /** What it has on its bastion. */
  readonly there: string;
  readonly mirrorPort: number;
  readonly proxyPort: number;
  atoll(...args: readonly string[]): AtollProcess;
}

/** What is chosen for a site before its file is written. */
export interface Given {
  readonly mirror: number;
  readonly proxy: number;
  readonly there: string;
}

export type Parts = Readonly<Record<string, object | string>>;

/** Writes the file of a site whose bastion is made, and is the sshd; parts of it are replaced. */
export async function awsUpSite(
  { lab, sshd, folder: upstream }: AwsGround,
  parts: (given: Given) => Parts = () => ({}),
): Promise<AwsUpSite> {
  lab.proxy.decide = ledTo(sshd);
  const [mirrorPort, proxyPort] = [await freePort(), await freePort()];
  const folder = await tempDir();
  const there = join(await tempDir(), 'site');
  const name = `aws-${mirrorPort}`;
  const { user, port, identity: privateKey } = sshd;
  const lead = labSiteParts(upstream);
  const site = {
    ...lead,
    name,
    platform: { type: 'aws', region: 'us-east-1', zones: ['us-east-1a'] },
    bastion: {
      ...{ user, port, privateKey, directory: there, ami: await anImage(lab) },
      ...{ sshKey: lead.cluster.sshKey, allowFrom: ['203.0.113.7/32'] },
    },
    registry: { host: 'localhost', port: mirrorPort },
    cluster: { ...lead.cluster, credentialsMode: 'Manual' },
    ...parts({ mirror: mirrorPort, proxy: proxyPort, there }),
  };
  await writeFile(join(folder, 'atoll.yaml'), toYaml(site));
  const atoll = (...args: readonly string[]) =>
    startAtoll(PROGRAM, [...args, '--output', 'json'], { cwd: folder, env: lab.env });
  return { folder, name, there, mirrorPort, proxyPort, atoll };
}

async function anImage({ aws }: AwsLab): Promise<string> {
  const images = await aws.query(silentContext(), 'ec2', 'DescribeImages');
  return textOf(listOf(images, 'imagesSet')[0], 'imageId');
}
