import { expect, test } from 'vitest';
import { startDockerRegistry } from './docker-registry.ts';
import { describeWithPeers } from './peers.ts';
import { publishUpstream, upstreamEntries } from './upstream.ts';

describeWithPeers(['docker-registry'], 'publishUpstream', () => {
  test('puts every image of the fixture into a real registry under its digest', async () => {
    const registry = await startDockerRegistry();
    try {
      await publishUpstream(registry.url);

      for (const entry of await upstreamEntries()) {
        const path = entry.reference.replace(/^[^/]+\//, '').replace(/[:@].*$/, '');
        const response = await fetch(`${registry.url}/v2/${path}/manifests/${entry.digest}`, {
          method: 'HEAD',
          headers: { accept: entry.mediaType },
        });
        expect([entry.reference, response.status]).toEqual([entry.reference, 200]);
      }
    } finally {
      await registry.stop();
    }
  });
});
