import { expect, test } from 'vitest';
import { once } from '../../core/bytes.ts';
import { silentContext } from '../../core/context.ts';
import { diagnose } from '../diagnose.ts';

const NOW = new Date('2026-08-20T12:00:00Z');

/** What is told first of a text: by a rule, or as likely. */
async function toldOf(text: string): Promise<string | undefined> {
  const open = () => once(Buffer.from(`${text.trim()}\n`));
  const input = { name: 'paste.txt', modified: NOW, open };
  const { findings, likely } = await diagnose(silentContext({ now: () => NOW }), [input]);
  return findings.find(({ kind }) => kind === 'root')?.cause ?? likely?.cause;
}

test.each<[what: string, text: string, told: string]>([
  [
    'a claim without a volume behind what does not come up',
    `    message: Deployment does not have minimum availability.
    reason: MinimumReplicasUnavailable
    status: "False"
    type: Available
$ oc describe pvc till
Name:          till
Namespace:     shop
StorageClass:  fern-nfs
Status:        Pending
Volume:
Used By:       till-7c9d-x2k4f`,
    'The claim till has no volume yet (Pending, of the storage class fern-nfs), and till-7c9d-x2k4f cannot start without it',
  ],
  [
    'who holds a port, by netstat',
    `Error: listen tcp 0.0.0.0:8443: bind: address already in use
tcp   0   0 0.0.0.0:22      0.0.0.0:*   LISTEN   812/sshd
tcp   0   0 0.0.0.0:8443    0.0.0.0:*   LISTEN   4411/haproxy`,
    'Port 8443 is held by haproxy (process 4411)',
  ],
  [
    'who holds a port, by ss',
    `dnsmasq: failed to create listening socket for port 53: Address already in use
$ ss -lntup
udp   UNCONN 0  0   127.0.0.53%lo:53   0.0.0.0:*  users:(("systemd-resolve",pid=911,fd=13))`,
    'Port 53 is held by systemd-resolve (process 911)',
  ],
  [
    'who holds a port, by lsof',
    `Error starting depotd: listen tcp :5000: bind: address already in use
COMMAND  PID USER  FD  TYPE DEVICE SIZE/OFF NODE NAME
registry 7702 root  3u  IPv6  88121      0t0  TCP *:5000 (LISTEN)`,
    'Port 5000 is held by registry (process 7702)',
  ],
  [
    'a link that is in the way',
    `/srv/lids already exists and is not a dir
# ls -l /srv
drwxr-xr-x. 2 root root 18 Mar  3 09:12 tide
lrwxrwxrwx. 1 root root 19 Mar  3 09:12 lids -> ../usr/lib/fern/lids`,
    '/srv/lids is a symbolic link to ../usr/lib/fern/lids',
  ],
  [
    'a name that is found afterwards',
    `Error: pinging container registry depot.fern.lan: Get "https://depot.fern.lan/v2/": dial tcp: lookup depot.fern.lan on 10.7.0.2:53: no such host
[systemd]
Failed Units: 1
  tide-pull.service
# host depot.fern.lan
depot.fern.lan has address 10.7.0.9`,
    'depot.fern.lan could not be looked up, and leads to 10.7.0.9 further down',
  ],
  [
    'a domain that a zone adds again',
    `; records of the cluster
tide-1.c7.fern.lan    IN  A  10.7.0.31
$ dig -x 10.7.0.31 +short
tide-1.c7.fern.lan.c7.fern.lan.`,
    'The zone has the full name tide-1.c7.fern.lan without a dot at its end',
  ],
  [
    'nodes that are not ready',
    `NAME     STATUS                        ROLES    AGE   VERSION
tide-0   Ready                         worker   52m   v1.31.6+aba1e8d
tide-1   NotReady,SchedulingDisabled   worker   50m   v1.30.5+aba1e8d`,
    'tide-1 is not ready, of 2 that are shown. Cordoned, and with another version than the rest',
  ],
  [
    'a wildcard that answers for a record',
    `ignition[70]: GET error: Get "https://api-int.c7.fern.lan:22623/config/master": dial tcp 10.7.0.99:22623: connect: connection refused
$ dig +short no-such-name.c7.fern.lan
10.7.0.99`,
    'api-int.c7.fern.lan has no record of its own: a wildcard answers for it with 10.7.0.99',
  ],
  [
    'routers without a node',
    `ingress    False   True   True   44m   The "default" ingress controller reports Available=False: IngressControllerUnavailable: One or more status conditions indicate unavailable: DeploymentAvailable=False
$ oc get nodes
NAME   STATUS   ROLES                  AGE   VERSION
tide-0   Ready    control-plane,master   52m   v1.31.6+aba1e8d
tide-1   Ready    control-plane,master   50m   v1.31.6+aba1e8d`,
    'The routers have no node to run on: the cluster has only control plane nodes (tide-0 and tide-1)',
  ],
  [
    'the task that failed',
    `TASK [depot : Write the lids] ***********
fatal: [moss]: FAILED! => {"changed": false, "msg": "AnsibleUndefinedVariable: 'dict object' has no attribute 'lids'"}`,
    'In the task "depot : Write the lids": The playbook uses lids, which no variable gives',
  ],
  [
    'a label that the policy does not expect',
    `$ matchpathcon /srv/fern
/srv/fern	system_u:object_r:var_t:s0
$ ls -Zd /srv/fern
unconfined_u:object_r:user_tmp_t:s0 /srv/fern`,
    'SELinux keeps others out of /srv/fern: it is labelled user_tmp_t, and the policy expects var_t',
  ],
  [
    'a label that keeps a container out',
    `# podman exec moss ls /mnt/moss
ls: cannot open directory /mnt/moss: Permission denied
# ls -Zd /mnt/moss
drwxr-xr-x. root root system_u:object_r:unlabeled_t:s0 /mnt/moss`,
    'SELinux keeps others out of /mnt/moss: it is labelled unlabeled_t',
  ],
  [
    'a path that a server does not export',
    `mount.nfs: access denied by server while mounting 10.7.0.4:/srv/tides
# exportfs -v
/srv/tide     	10.7.0.0/24(rw,wdelay,root_squash)`,
    'The server exports /srv/tide, and not /srv/tides, which is mounted',
  ],
  [
    'a file system that is full',
    `depotctl: error: write /srv/depot/blobs/7: no space left on device
Filesystem  Size  Used Avail Use% Mounted on
/dev/vda4    40G   12G   28G  30% /
/dev/vdb1   100G  100G    0G 100% /srv/depot`,
    'The file system /srv/depot is full: df shows 100 %',
  ],
  [
    'a file system without inodes',
    `depotctl: error: open /srv/depot/blobs/7: no space left on device
Filesystem   Inodes   IUsed IFree IUse% Mounted on
/dev/vdb1   6553600 6553600     0  100% /srv/depot`,
    'The file system /srv/depot has no inodes left (100 %)',
  ],
  [
    'a file system that has room',
    `depotctl: error: write /srv/depot/blobs/7: no space left on device
Filesystem  Size  Used Avail Use% Mounted on
/dev/vdb1   100G   31G   69G  31% /srv/depot`,
    'The file system /srv/depot has room by df (31 %), so something else has run out',
  ],
  [
    'a registry that a file of logins does not have',
    `Error: initializing source docker://depot.fern.lan:8443/ocp/release:4.18.1: reading manifest: unauthorized: authentication required
$ cat auth.json
{ "auths": {
    "depot.fern.lan": { "auth": "eDp5" },
    "quay.io": { "auth": "eDp5" }
} }`,
    'The file of logins has depot.fern.lan and quay.io, and none for depot.fern.lan:8443, which was asked (depot.fern.lan is another',
  ],
  [
    'a tag that is not among those of a repository',
    `Error: reading manifest 4.18.2 in depot.fern.lan:8443/ocp/release:4.18.2: manifest unknown
$ curl -s https://depot.fern.lan:8443/v2/ocp/release/tags/list
{"name":"ocp/release","tags":["4.18.1-x86_64","4.18.2-x86_64"]}`,
    'The registry has ocp/release with the tags 4.18.1-x86_64 and 4.18.2-x86_64, and not 4.18.2',
  ],
  [
    'a repository under another name',
    `Error: reading manifest 4.18.2 in depot.fern.lan:8443/ocp/release:4.18.2: name unknown: repository name not known to registry
$ curl -s https://depot.fern.lan:8443/v2/_catalog
{"repositories":["mirror/ocp/release","mirror/ocp/tools"]}`,
    'The registry has mirror/ocp/release, and not ocp/release, which is asked for',
  ],
  [
    'certificates that ended, by a clock of another language',
    `# openssl x509 -noout -dates -in kubelet-client-current.pem
notBefore=Mar 27 06:57:00 2026 GMT
notAfter=Mar 28 06:39:47 2026 GMT
# date
vr 29 mrt 2026  5:21:18 UTC`,
    'The certificate ended before the time that the machine has: 2026-03-28T06:39Z came before 2026-03-29T05:21Z',
  ],
  [
    'certificates that ended, as openssl prints them whole',
    `[root@w-1 pki]# cat client.txt | grep Not
            Not Before: Mar 27 06:57:00 2026 GMT
            Not After : Mar 28 06:39:47 2026 GMT
[root@w-1 pki]# cat server.txt | grep Not
            Not Before: Mar 27 07:02:00 2026 GMT
            Not After : Mar 28 06:39:39 2026 GMT
[root@w-1 pki]# date
Sun Mar 29 05:21:18 UTC 2026
[root@w-1 pki]#`,
    '2 certificates ended before the time that the machine has',
  ],
  [
    'whom SELinux refuses it',
    `depotd[71]: cannot open /srv/moss/lid: Permission denied
audit[71]: AVC avc:  denied  { read } for  pid=71 comm="depotd" name="lid" dev="vda4" ino=40 scontext=system_u:system_r:depot_t:s0 tcontext=system_u:object_r:user_home_t:s0 tclass=file permissive=0`,
    'SELinux refuses it, as the audit log beside it shows: depotd (depot_t) may not read lid (user_home_t)',
  ],
  [
    'that the proxy is in the way',
    `bash-5.1$ curl -kI https://canary.apps.fern.lan
HTTP/1.1 502 Bad Gateway
curl: (56) Received HTTP code 502 from proxy after CONNECT
bash-5.1$ unset HTTPS_PROXY
bash-5.1$ curl -kI https://canary.apps.fern.lan
HTTP/2 200`,
    'It is reached without the proxy, and not through it',
  ],
  [
    'a port that a firewall does not let through',
    `curl: (7) Failed to connect to depot.fern.lan port 8443: No route to host
public (active)
  services: cockpit ssh
  ports: 5000-5010/tcp 53/udp`,
    'The firewall that is listed does not let port 8443 through',
  ],
])('diagnose tells %s', async (_, text, told) => {
  expect(await toldOf(text)).toContain(told);
});

test.each<[what: string, text: string]>([
  [
    'a claim that nothing uses yet',
    `Cluster operator fern has been degraded for 7 minutes.
Name:          till
StorageClass:  fern-nfs
Status:        Pending
Used By:       <none>`,
  ],
  [
    'a path that no shell should see',
    'ls: cannot open directory /mnt/a;reboot: Permission denied\nsystem_u:object_r:unlabeled_t:s0 /mnt/a;reboot',
  ],
  [
    'another port',
    `Error: listen tcp 0.0.0.0:8443: bind: address already in use
tcp   0   0 0.0.0.0:22      0.0.0.0:*   LISTEN   812/sshd`,
  ],
  [
    'a path below an export',
    `mount.nfs: access denied by server while mounting 10.7.0.4:/srv/tide/a
/srv/tide     	10.7.0.0/24(rw)`,
  ],
  [
    'a port that is open',
    `curl: (7) Failed to connect to depot.fern.lan port 5003: No route to host
  ports: 5000-5010/tcp`,
  ],
  [
    'a login that is there',
    `Error: initializing source docker://depot.fern.lan:8443/ocp/release:4.18.1: unauthorized: authentication required
{ "auths": { "depot.fern.lan:8443": { "auth": "eDp5" } } }`,
  ],
  [
    'a tag that is there',
    `Error: reading manifest 4.18.2 in depot.fern.lan:8443/ocp/release:4.18.2: manifest unknown
{"name":"ocp/release","tags":["4.18.1","4.18.2"]}`,
  ],
  [
    'a link elsewhere',
    `/srv/lids already exists and is not a dir
lrwxrwxrwx. 1 root root 19 Mar  3 09:12 tide -> ../usr/lib/fern/tide`,
  ],
  [
    'a name that was found before',
    `depot.fern.lan has address 10.7.0.9
Error: pinging container registry depot.fern.lan: Get "https://depot.fern.lan/v2/": dial tcp: lookup depot.fern.lan on 10.7.0.2:53: no such host`,
  ],
  [
    'nodes that are ready',
    `NAME     STATUS                     ROLES    AGE   VERSION
tide-0   Ready                      worker   52m   v1.31.6+aba1e8d
tide-1   Ready,SchedulingDisabled   worker   50m   v1.30.5+aba1e8d`,
  ],
  [
    'nodes that became ready',
    `tide-1   NotReady   worker   50s   v1.31.6+aba1e8d
tide-1   Ready      worker   90s   v1.31.6+aba1e8d`,
  ],
  [
    'a wildcard with another address',
    `ignition[70]: GET error: Get "https://api-int.c7.fern.lan:22623/config/master": dial tcp 10.7.0.9:22623: connect: connection refused
*.apps   IN  A  10.7.0.99`,
  ],
  [
    'routers beside a worker',
    `ingress    False   True   True   44m   The "default" ingress controller reports Available=False: IngressControllerUnavailable: One or more status conditions indicate unavailable: DeploymentAvailable=False
$ oc get nodes
NAME   STATUS   ROLES                  AGE   VERSION
tide-0   Ready    control-plane,master   52m   v1.31.6+aba1e8d
tide-1   Ready    control-plane,master   50m   v1.31.6+aba1e8d
fern-0   Ready    worker                 20m   v1.31.6+aba1e8d`,
  ],
  [
    'a full name that ends with a dot',
    `tide-1.c7.fern.lan.    IN  A  10.7.0.31
Error: lookup tide-1.c7.fern.lan.c7.fern.lan on 10.7.0.2:53: no such host`,
  ],
  [
    'a certificate that lasts',
    `notAfter=Mar 28 06:39:47 2026 GMT
# date
Fri Mar 27 05:21:18 UTC 2026`,
  ],
])('diagnose concludes nothing from %s', async (_, text) => {
  expect((await toldOf(text)) ?? '').not.toMatch(
    /is held by|SELinux keeps|exports|firewall that|file of logins|has ocp|ended before|symbolic link|further down|adds its domain|has no volume|no node to run on|wildcard answers|not ready, of/,
  );
});
