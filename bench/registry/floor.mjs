// What no server on node:http can beat: as many processes as ours that answer a constant of a manifest's size.
import cluster from 'node:cluster';
import { createServer } from 'node:http';

const [port, workers] = process.argv.slice(2).map(Number);
const body = Buffer.alloc(422, 'manifest');
const digest = `sha256:${'a'.repeat(64)}`;
const headers = {
  'content-type': 'application/vnd.docker.distribution.manifest.v2+json',
  'docker-content-digest': digest,
  etag: `"${digest}"`,
  'content-length': body.length,
};

if (cluster.isPrimary) {
  for (let count = 0; count < workers; count += 1) cluster.fork();
} else {
  const answer = (_request, response) => response.writeHead(200, headers).end(body);
  createServer(answer).listen(port, '127.0.0.1');
}
