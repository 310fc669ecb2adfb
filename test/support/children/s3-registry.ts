// A registry over a bucket in a process of its own, to be killed. Arguments: endpoint, bucket.
import { silentContext } from '../../../src/core/context.ts';
import { startRegistry } from '../../../src/registry/serving/start.ts';
import { openS3Store } from '../../../src/store/s3/s3-store.ts';

const [, , endpoint, bucket = ''] = process.argv;
const credentials = { accessKeyId: 'test', secretAccessKey: 'test-secret' };
const store = openS3Store({ bucket, endpoint, credentials, pathStyle: true });
const { url } = await startRegistry(silentContext(), { store, listeners: [{ port: 0 }] });
process.send?.(url);
