import { describe, expect, test } from 'vitest';
import { siteFolder } from '../../test/support/site.ts';
import { PLATFORMS } from '../cli/platforms.ts';
import { chronyConf } from '../generate/chrony.ts';
import { type Completeness, siteInputs } from './inputs.ts';
import { readSite } from './read-site.ts';

const KEY = 'ssh-ed25519 AAAA a@b\n';

async function inputsOf(
  change: Readonly<Record<string, object>>,
  completeness: Completeness = 'so-far',
) {
  const { site } = await siteFolder(change, { 'id.pub': `# mine\n${KEY}` });
  return siteInputs(await readSite(site, {}, PLATFORMS), completeness);
}

describe('siteInputs', () => {
  test('gives an install-config the architecture of the release', async () => {
    const inputs = await inputsOf({ release: { architecture: 'arm64' } });

    expect(await inputs.installConfig()).toMatchObject({ architecture: 'arm64' });
  });

  test('publishes nothing on AWS, and says nothing of it where there is no choice', async () => {
    const aws = await inputsOf({ platform: { type: 'aws', region: 'us-east-1' } });
    const none = await inputsOf({});

    expect((await aws.installConfig()).publish).toBe('Internal');
    expect((await none.installConfig()).publish).toBeUndefined();
  });

  test('knows the platform of an existing network, and not of one that is still to be made', async () => {
    const aws = { type: 'aws', region: 'us-east-1' };
    const existing = await inputsOf({ platform: { ...aws, subnets: ['subnet-1'] } });
    const planned = await inputsOf({ platform: aws });

    expect((await existing.installConfig()).platform).toEqual({
      ...aws,
      subnets: [{ id: 'subnet-1' }],
    });
    expect((await planned.installConfig()).platform).toBeUndefined();
  });

  test('brings time servers to the nodes of both pools', async () => {
    const inputs = await inputsOf({ postInstall: { ntpServers: ['ntp.north.example'] } });

    const names = inputs.manifests().map((object) => (object as ManifestName).metadata.name);
    expect(names).toEqual(['cluster', 'cluster', '99-master-chrony', '99-worker-chrony']);
    expect(JSON.stringify(inputs.manifests())).toContain(
      Buffer.from(chronyConf(['ntp.north.example'])).toString('base64'),
    );
  });

  test('names every capability but the disabled ones: an install-config cannot say "without"', async () => {
    const inputs = await inputsOf({ cluster: { disabledCapabilities: ['Console', 'Insights'] } });

    const { capabilities } = await inputs.installConfig();

    expect(capabilities?.baseline).toBe('None');
    expect(capabilities?.additional).toContain('Storage');
    expect(capabilities?.additional).not.toContain('Console');
  });

  test('leads nodes to the proxy that is named, or to the one on the bastion', async () => {
    const aws = { platform: { type: 'aws', region: 'us-east-1' }, registry: { host: 'm.example' } };
    const named = await inputsOf({ proxy: { url: 'http://proxy.example:8080' } });
    const own = await inputsOf({ ...aws, proxy: { enabled: true, port: 3129 } });

    expect((await named.installConfig()).proxy?.httpsProxy).toBe('http://proxy.example:8080');
    expect((await own.installConfig()).proxy?.httpsProxy).toBe('http://m.example:3129');
  });

  test('lets the user of the site file log in to the bastion', async () => {
    const inputs = await inputsOf({ bastion: { user: 'ops', sshKey: 'id.pub' } });

    expect(await inputs.bastion()).toEqual({
      hostname: 'north-bastion',
      users: [{ name: 'ops', sshAuthorizedKeys: [KEY.trim()] }],
    });
  });

  test('takes the login of the site for that of the nodes only while there is no other', async () => {
    const early = await inputsOf({});
    const complete = await inputsOf({}, 'complete');

    expect(await early.pullSecret()).toContain('quay.io');
    await expect(complete.pullSecret()).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
  });
});

interface ManifestName {
  readonly metadata: { readonly name: string };
}
