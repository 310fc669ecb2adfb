import { expect, test } from 'vitest';
import { testSaidLines } from '../../../test/support/readings.ts';
import { PLAIN_READINGS, readPlainly } from './read-plainly.ts';
import { INSTALL_READINGS } from './readings/install-readings.ts';
import { PROGRAM_READINGS } from './readings/program-readings.ts';
import { RUNNING_READINGS } from './readings/running-readings.ts';
import { STATE_READINGS } from './readings/state-readings.ts';

/** A line of each kind, by a program that no rule knows, what it says, and the line before it where that matters. */
const SAID: readonly (readonly [line: string, id: string, cause: string, lead?: string])[] = [
  [
    'The Depot "main" is invalid: spec.crane.speed: Forbidden: may not be given when the type is Still',
    'says-field-forbidden',
    'The field spec.crane.speed of Depot "main" may not be so: may not be given when the type is Still',
  ],
  [
    'Error from server (BadRequest): Unable to find "depots" that match label selector "", field selector "a.b=c": "a.b" is not a known field selector: only "metadata.name", "metadata.namespace"',
    'says-selector-unknown',
    'Objects of this kind cannot be chosen by the field a.b (only "metadata.name", "metadata.namespace")',
  ],
  [
    'Error: vfkit exited unexpectedly with exit code 1',
    'says-vfkit',
    'The virtual machine ended as soon as it was started (vfkit, exit code 1)',
  ],
  [
    'virt-v2v: error: internal error: invalid argument: cannot find libvirt pool',
    'says-libvirt',
    'libvirt refuses it: invalid argument: cannot find libvirt pool',
  ],
  [
    './bin/govc: Host did not have any virtual network defined',
    'says-govc',
    'vSphere does not do what govc asks: Host did not have any virtual network defined',
  ],
  [
    'Error translating config: Error unmarshaling yaml: yaml: line 7: found character that cannot start any token',
    'says-yaml-wrong',
    'A file is no valid YAML at line 7 (found character that cannot start any token)',
  ],
  [
    'error: yaml: unmarshal errors: line 2: cannot unmarshal !!str `1.1.0` into int',
    'says-yaml-wrong',
    'A YAML file has 1.1.0 at line 2, where the program expects another type (int)',
  ],
  [
    'error: yaml: line 9: cannot unmarshal !!map into string',
    'says-yaml-wrong',
    'A YAML file has a block of fields at line 9, where the program expects another type (string)',
  ],
  [
    'level=error msg="failed to get container config: mkdir /home/u/rundir/libpod: no such file or directory"',
    'says-folder-missing',
    '/home/u/rundir/libpod cannot be made: the folder that it is to be in, /home/u/rundir, is not there',
  ],
  [
    'Error: decode configuration /etc/containers/containers.conf: toml: line 12: expected value but found "=" instead',
    'says-toml-wrong',
    '/etc/containers/containers.conf is no valid TOML at line 12: expected value but found',
  ],
  [
    "WARNING: Error loading config file: /home/u/.docker/config.json - invalid character '}' looking for beginning of object key string",
    'says-json-wrong',
    '/home/u/.docker/config.json is no valid JSON (looking for beginning of object key string)',
  ],
  [
    'error: reading /srv/depot/pull.json: unexpected end of JSON input',
    'says-json-wrong',
    '/srv/depot/pull.json is no valid JSON (it ends too early)',
  ],
  [
    'Error: opening the image: open https://depot.fern.lan/fcos.vhd.xz: no such file or directory',
    'says-address-as-file',
    'The program takes https://depot.fern.lan/fcos.vhd.xz for a file of this machine',
  ],
  [
    'Error from server (Forbidden): User "clark" cannot get nodes at the cluster scope. (get nodes fern-0)',
    'says-not-permitted',
    'The login clark lacks the permission get (nodes)',
  ],
  [
    'E0926 nestedpendingoperations.go:262] UnmountVolume.TearDown failed for volume "tide-token" (UniqueName: "a") pod "b" : remove /var/lib/tide: device or resource busy',
    'says-volume-kept',
    'The volume tide-token cannot be unmounted from the node',
  ],
  [
    'tide-helper: GLIBC_2.32 not found (required by /usr/local/bin/tide-helper)',
    'says-old-library',
    'The program was built for a newer system than this one (GLIBC_2.32)',
  ],
  [
    'The Depot "main" is invalid: status.parts[2]: Unsupported value: "Crane": supported values: "Dock"',
    'says-status-invalid',
    'What the cluster itself wrote into status.parts[2] of Depot "main" is not taken by the definition',
  ],
  [
    '1763262702.112 0 10.0.0.21 TCP_DENIED/403 3900 GET http://depot.fern.lab/x - HIER_NONE/- text/html',
    'says-proxy-denied',
    'The proxy (Squid) does not let it pass to http://depot.fern.lab/x',
  ],
  [
    'Warning FailedCreatePodSandBox 2m kubelet Failed to create pod sandbox: rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    'says-runtime-slow',
    'does not come to the end of it in time',
  ],
  [
    'Error: Pod "depot-0" is forbidden: Limited to 512Mi memory, but pod has no specified memory limit',
    'says-not-admitted',
    'The API server does not admit Pod "depot-0": Limited to 512Mi memory',
  ],
  [
    'kernel: Out of memory: Killed process 4121 (depotd) total-vm:8kB',
    'says-memory',
    'There is not enough memory: a process (depotd) was killed for it',
  ],
  [
    'Connection failed. Invalid token (500).',
    'says-token-refused',
    'does not know the token that it was shown, or no longer',
  ],
  [
    'Error: trying to reuse blob sha256:ab at destination: Requesting bearer token: invalid status code from registry 404 (Not Found)',
    'says-token-not-given',
    'answers 404 to the request for one: it does not take the name of the repository',
  ],
  [
    'ERROR: failed to solve: failed to push depot.fern.lan/lid:1: failed to copy: io: read/write on closed pipe',
    'says-push-broken-off',
    'broke the upload of depot.fern.lan/lid:1 off',
  ],
  [
    'invalid diffID for layer 5: expected "sha256:9e", got "sha256:05"',
    'says-layer-differs',
    'The archive of the image is damaged: its layer 5',
  ],
  [
    'ERR unable to push images: failed to parse ref https://depot.fern.lan/v1/lid:1: invalid reference: invalid repository "/depot.fern.lan/v1/lid"',
    'says-image-name',
    'An image is not named as the program takes it: failed to parse ref https://depot.fern.lan/v1/lid:1',
  ],
  [
    'depot.fern.lan/tide/lid:arm64 is a manifest list',
    'says-several-platforms',
    'Behind the name are images of several architectures',
  ],
  [
    'Error: index image depot.fern.lan/olm/index:v4.11 missing label operators.operatorframework.io.index.database.v1',
    'says-index-of-files',
    'The catalogue is one of files',
  ],
  [
    'Build Failed. No push access to specified image repository. Try running with `--default-repo` flag.',
    'says-login-refused',
    'gives it no right to this',
  ],
  [
    'unauthorized: reqPackageAccess',
    'says-package-right',
    'gives this login no right to the packages of the owner',
  ],
  [
    'Error: unknown command "serve" for "opm"',
    'says-opm-old',
    'The opm in the image of the catalogue is too old',
  ],
  [
    'level=error msg=response completed with error error=invalid URL on layer http.request.method=PUT',
    'says-layer-elsewhere',
    'a layer of the image lies at an address elsewhere',
  ],
  [
    'error pulling image configuration: download failed after attempts=6: unknown blob',
    'says-part-not-served',
    'it passes another registry on and could not fetch the part from there',
  ],
  [
    'Error: Get "https://depot.fern.lan:5000/v1/_ping": tls: oversized record received with length 20527',
    'says-plain-http',
    'depot.fern.lan:5000 (the mirror registry) speaks plain HTTP where TLS is expected',
  ],
  [
    'Error creating: pods "depot-0" is forbidden: unable to validate against any security context constraint: [provider restricted-v2: .containers[0].runAsUser: Invalid value: 7: must be in the ranges: [1, 2]]',
    'says-scc',
    'admits the pod depot-0 (provider restricted-v2: .containers[0].runAsUser: Invalid value: 7',
  ],
  [
    'dial tcp 10.9.0.4:5001: connect: connection refused',
    'says-upload-elsewhere',
    'is then led to 10.9.0.4:5001, where nothing answers',
    '5b0d2d4f7a11: Pushing [===>   ]  1.7kB/9.9kB',
  ],
  [
    'Error: Get "https://depot.fern.lan/x": dial tcp: lookup depot.fern.lan on 10.9.0.2:53: read udp 10.9.0.7:4411->10.9.0.2:53: i/o timeout',
    'says-name-server-fails',
    'The name server 10.9.0.2:53 does not answer (depot.fern.lan)',
  ],
  [
    'depotctl: failed: dial tcp: lookup depot.fern.lan on 10.9.0.2:53: no such host',
    'says-name-unknown',
    'The name depot.fern.lan is not known to the name servers of the machine that asked',
  ],
  [
    'err in.tftpd[909]: chroot: Operation not permitted',
    'says-capability-missing',
    'may not do what it begins with (chroot)',
  ],
  [
    'Error getting crates: rename C:\\crates\\tmp C:\\crates\\seven: Access is denied.',
    'says-access-denied',
    'rights of the file, or another program that holds it',
  ],
  ['"reason": "Unauthorized due to missing quota"', 'says-quota', 'A quota or limit is used up'],
  [
    'Error: rpc error: last connection error: dial tcp 10.9.0.2:7777: connection closed before server preface received',
    'says-no-preface',
    '10.9.0.2:7777 closes the connection before it speaks',
  ],
  [
    'ssh: depot.fern.lan: Temporary failure in name resolution',
    'says-name-unanswered',
    'The name depot.fern.lan cannot be looked up',
  ],
  [
    'curl: (6) Could not resolve host: depot.fern.lan',
    'says-name-unknown',
    'The name depot.fern.lan is not known',
  ],
  [
    'error looking up self: could not resolve member "depot-1.fern.lan.fern.lan."',
    'says-name-unknown',
    'The name depot-1.fern.lan.fern.lan is not known',
  ],
  [
    "ERRO The term 'Fern\\Get-Depot' is not recognized as the name of a cmdlet, function or script",
    'says-program-missing',
    'The program Fern\\Get-Depot is not there',
  ],
  [
    "(InvalidFernNetwork) The provided fern '/subscriptions/1/fern' is in another place than the cluster.",
    'says-azure',
    "Azure refuses it (InvalidFernNetwork): The provided fern '/subscriptions/1/fern' is in another",
  ],
  [
    'systemd[1]: Failed to start Network Manager Wait Online.',
    'says-network-not-up',
    'No network connection of this machine came up in time',
  ],
  [
    'dracut-initqueue[700]: Warning: /lib/dracut/hooks/initqueue/finished/wait-network.sh: "[ -f /tmp/net.ens7.did-setup ]"',
    'says-network-not-up',
    'No network connection of this machine (ens7) came up in time',
  ],
  [
    'x509: certificate is not valid for any names, but wanted to match depot.fern.lan',
    'says-certificate-old-name',
    'carries no name at all that programs compare (subjectAltName) (asked as depot.fern.lan)',
  ],
  [
    'level=error msg="error rendering template: template: :7:29: executing "" at <.fern_keys>: range can\'t iterate over moss"',
    'says-template',
    "A template cannot be filled in (line 7, at .fern_keys) (range can't iterate over moss",
  ],
  [
    'Error: template: fern/templates/web.yaml:12:5: executing "fern/templates/web.yaml" at <.Values.depot.port>: nil pointer evaluating interface {}.port',
    'says-template',
    'A template cannot be filled in (line 12 of fern/templates/web.yaml, at .Values.depot.port) (nil pointer',
  ],
  [
    'Error: CreateFile C:\\Users\\ada\\fern depot\\config: The system cannot find the file specified.',
    'says-file-missing',
    'The file C:\\Users\\ada\\fern depot\\config is not there',
  ],
  [
    "Error: virError(Code=55, Domain=10, Message='Requested operation is not valid: the disk 'vda' of 'fern' is held')",
    'says-libvirt',
    "libvirt refuses it: Requested operation is not valid: the disk 'vda' of 'fern' is held",
  ],
  [
    'ssh: connect: Error: getaddrinfo ENOTFOUND depot.fern.lan',
    'says-name-unknown',
    'The name depot.fern.lan is not known',
  ],
  [
    'Error: Get "https://depot.fern.lan:8080/": http: server gave HTTP response to HTTPS client',
    'says-plain-http',
    'depot.fern.lan:8080 speaks plain HTTP where TLS is expected',
  ],
  [
    'Error: http://depot.fern.lan:8443/: 400: Client sent an HTTP request to an HTTPS server',
    'says-tls-expected',
    'wants TLS, and was asked by plain HTTP',
  ],
  [
    'x509: certificate relies on legacy Common Name field, use SANs instead',
    'says-certificate-old-name',
    'The certificate of the other end has its name only as Common Name',
  ],
  [
    '#9 ERROR: denied: the robot of depot.fern.lan may not write here',
    'says-denied',
    'The other end refuses it: the robot of depot.fern.lan may not write here',
  ],
  [
    'unauthorized: You lack what this takes. See https://cloud.google.com/depot/docs',
    'says-denied',
    'The other end refuses it: You lack what this takes',
  ],
  [
    'unauthenticated: the user cannot be authenticated with that token',
    'says-login-refused',
    'The other end does not accept the login',
  ],
  [
    'Error: Get "https://depot.fern.lan/": x509: certificate has expired or is not yet valid: current time 2026-03-02T10:00:00Z is after 2026-03-01T00:00:00Z',
    'says-certificate-time',
    'The certificate of depot.fern.lan has expired (2026-03-01T00:00:00Z), or the clock of this machine is ahead',
  ],
  [
    'Error: Get "https://depot.fern.lan/": x509: certificate has expired or is not yet valid: current time 2026-02-02T10:00:00Z is before 2026-03-01T00:00:00Z',
    'says-certificate-time',
    'a clock is wrong',
  ],
  [
    'Error: failed to load ca: the certificate is not valid yet',
    'says-certificate-time',
    'a clock is wrong',
  ],
  [
    'Error: Get "https://10.9.0.4:9000/": x509: certificate is valid for depot, depot.fern.lan, not 10.9.0.4',
    'says-certificate-name',
    'The certificate of 10.9.0.4:9000 does not carry the name 10.9.0.4 by which it is asked (depot, depot.fern.lan)',
  ],
  [
    'Error: Get "https://depot.fern.lan/": tls: failed to verify certificate: x509: certificate signed by unknown authority',
    'says-authority-unknown',
    'The authority that signed the certificate of depot.fern.lan is not trusted here',
  ],
  [
    'Error: https://depot.fern.lan/: remote error: tls: handshake failure',
    'says-tls-refused',
    'do not come to a TLS connection',
  ],
  [
    'Error: could not manage host: Get "http://10.9.0.3:6385/v1/nodes": dial tcp 10.9.0.3:6385: connect: connection refused',
    'says-refused',
    'Nothing listens at 10.9.0.3:6385 (Ironic, which installs bare metal hosts): the connection is refused',
  ],
  [
    'fatal: [host-1]: FAILED! => {"msg": "Request failed: <urlopen error [Errno -2] Name or service not known>", "url": "https://depot.lab.example/a.iso"}',
    'says-name-unknown',
    'The name depot.lab.example is not known',
  ],
  [
    'Get https://depot.lab.example:6443/a: dial tcp 10.9.0.3:6443: connect: permission denied',
    'says-connect-denied',
    'This machine itself does not let the connection to depot.lab.example:6443',
  ],
  [
    "chroot: failed to run command 'fern': No such file or directory",
    'says-program-missing',
    'The program fern is not there',
  ],
  [
    '/bin/bash: line 1: unknown-fern: command not found',
    'says-program-missing',
    'The program unknown-fern is not there',
  ],
  [
    'curl: (56) Received HTTP code 503 from proxy after CONNECT',
    'says-proxy-answers',
    'It is the proxy that answers (503), not whom was asked',
  ],
  [
    'The ImageStreamImport "fern" is invalid: spec.images[0].from.name: Invalid value: "fern.lan:5000/a/b": importing images from registry "fern.lan" is forbidden, only images from "quay.io" are allowed',
    'says-import-not-allowed',
    'The cluster itself does not let images of fern.lan be imported',
  ],
  [
    'image pull failed for fern.lan/a/b:1, this may be because there are no credentials on this request.  details: (Error: Status 403 trying to pull repository a/b: "{"error": "Permission Denied"")',
    'says-pull-not-granted',
    'The registry does not give out a/b',
  ],
  [
    'auth: cannot verify the code: Post https://depot.lab.example:443/token:  dial tcp 127.0.0.1:443: connect: connection refused',
    'says-leads-to-itself',
    'depot.lab.example leads to the machine that asks itself (127.0.0.1), where nothing listens at port 443',
  ],
  [
    'Error: Get "https://localhost:7443/readyz": dial tcp [::1]:7443: connect: connection refused',
    'says-refused',
    'Nothing listens at localhost:7443',
  ],
  [
    'provisioner failed: dial tcp 10.9.0.3:22: connect: no route to host',
    'says-no-route',
    'There is no way to 10.9.0.3:22 (SSH)',
  ],
  [
    'Error: timeout - last error: dial tcp 10.9.0.3:22: i/o timeout',
    'says-unanswered',
    '10.9.0.3:22 (SSH) does not answer: the connection times out',
  ],
  [
    'Error: Post "https://depot.fern.lan/upload": read tcp 10.9.0.7:1->10.9.0.8:443: read: connection reset by peer',
    'says-cut',
    'depot.fern.lan takes the connection and cuts it',
  ],
  [
    'Error response: Get "http://depot.fern.lan:48085/v2/": EOF',
    'says-cut',
    'depot.fern.lan:48085',
  ],
  [
    "Error: googleapi: Quota 'CPUS' exceeded. Limit: 24.0",
    'says-quota',
    'A quota or limit is used up (CPUS)',
  ],
  [
    'Error: CONNECT depot.fern.lan: 407 Proxy Authentication Required',
    'says-proxy-login',
    'The proxy wants a login',
  ],
  [
    'Error: secrets is forbidden: User "system:serviceaccount:a:b" cannot list resource "secrets" in API group ""',
    'says-not-permitted',
    'The login system:serviceaccount:a:b lacks the permission list (secrets)',
  ],
  [
    "Error: googleapi: Error 403: Required 'compute.zones.list' permission for 'projects/p'",
    'says-not-permitted',
    'lacks the permission compute.zones.list',
  ],
  [
    'Error: admission webhook "check.fern.io" denied the request: replicas must be odd',
    'says-webhook-denied',
    'The admission webhook check.fern.io refuses the object (replicas must be odd)',
  ],
  [
    'Error: failed calling webhook "check.fern.io": Post "https://w.a.svc:443/": no endpoints available for service "w"',
    'says-webhook-unserved',
    'The webhook check.fern.io is not served',
  ],
  [
    'core@10.9.0.3: Permission denied (publickey,gssapi-keyex).',
    'says-key-refused',
    'refuses the SSH key or password',
  ],
  [
    'Error: https://depot.fern.lan/v2/x: toomanyrequests: slow down',
    'says-rate-limited',
    'depot.fern.lan (the mirror registry) was asked too often',
  ],
  [
    '{"message":"Failed to initialize user: Invalid password, password must be at least 8 characters"}',
    'says-password-rules',
    'The password that was chosen is not taken: password must be at least 8 characters',
  ],
  [
    'Error: failed to resolve https://depot.fern.lan/v2/x: 401 Unauthorized',
    'says-login-refused',
    'depot.fern.lan (the mirror registry) does not accept the login, was sent none, or gives it no right to this',
  ],
  [
    'Error response from daemon: Get https://depot.fern.lan/v2/: Forbidden',
    'says-forbidden',
    'depot.fern.lan (the mirror registry) forbids it',
  ],
  ['error: unable to push to depot.fern.lan/a/b:1: denied', 'says-forbidden', 'forbids it'],
  [
    'Error: PATCH https://depot.fern.lan/up: 413 Request Entity Too Large',
    'says-too-large',
    'depot.fern.lan, or a proxy before it, takes no request of this size',
  ],
  [
    'Error: unexpected answer of https://depot.fern.lan/x: 502 Bad Gateway',
    'says-server-fails',
    'depot.fern.lan answers with an error of its own (502)',
  ],
  [
    'Error: fetching https://depot.fern.lan/a.img: status 404',
    'says-page-missing',
    'https://depot.fern.lan/a.img is not there',
  ],
  [
    'error: unable to recognize "x.yaml": no matches for kind "Fern" in version "fern.io/v2"',
    'says-kind-unknown',
    'The cluster does not know the kind Fern (fern.io/v2)',
  ],
  [
    'error: the server doesn\'t have a resource type "bc"',
    'says-kind-of-openshift-unknown',
    'The server does not offer this client the kind bc of OpenShift: it is no OpenShift',
  ],
  [
    'error: resource mapping not found: no matches for kind "Route" in version "route.openshift.io/v1"',
    'says-kind-of-openshift-unknown',
    'The server does not offer this client the kind Route of OpenShift',
  ],
  [
    'error: the server doesn\'t have a resource type "pods"',
    'says-kind-core-unknown',
    'The server does not tell this client what it serves, not even pods',
  ],
  [
    'error: unable to recognize "x.yaml": no matches for kind "CronJob" in version "batch/v1beta1"',
    'says-kind-of-older-cluster',
    'The cluster does not serve CronJob as batch/v1beta1: newer clusters have dropped',
  ],
  [
    'Error from server (BadRequest): Deployment in version "v1" cannot be handled as a Deployment: no kind "Deployment" is registered for version "apps/v1"',
    'says-kind-of-newer-cluster',
    'The cluster does not know Deployment (apps/v1), which every newer one has',
  ],
  [
    'failed to list *v1.Fern: the server could not find the requested resource (get ferns.fern.io)',
    'says-kind-not-served',
    'The program watches a kind (ferns.fern.io) that the cluster does not serve',
  ],
  [
    'error: no kind "Fern" is registered for version "fern.io/v1alpha1" in scheme "pkg/api/scheme.go:20"',
    'says-kind-not-in-program',
    'The program does not know Fern of fern.io/v1alpha1',
  ],
  [
    'Error: dial tcp: lookup null on 10.9.0.2:53: no such host',
    'says-name-is-no-name',
    'Where the name of a host should be, the settings have the word "null"',
  ],
  [
    'Error: dial tcp: lookup null.fern.lan on 10.9.0.2:53: no such host',
    'says-name-unknown',
    'The name null.fern.lan is not known',
  ],
  [
    'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[data kube-api-access-1]: timed out waiting for the condition',
    'says-volumes-awaited',
    'A pod waits in vain for its volumes to be attached or mounted (data)',
  ],
  ['Error: write /srv/a: no space left on device', 'says-disk-full', 'A disk is full'],
  [
    'depotd: [ERROR] over the quota: used 1209 but only hard 1073',
    'says-quota',
    'A quota or limit is used up (used 1209 but only hard 1073)',
  ],
  [
    'level=fatal msg=failed to generate asset "Quota Check": error(MissingQuota): Router is not available because the required number of resources (1) is more than the limit of 0',
    'says-quota',
    'A quota or limit is used up (Router is not available',
  ],
  [
    'level=fatal msg="failed to fetch Variables: failed to generate asset \\"Variables\\": cannot create it because \\"fern\\" is no platform"',
    'says-installer',
    'The installer cannot make "Variables": cannot create it because "fern" is no platform',
  ],
  [
    `fatal: [10.9.0.3]: FAILED! => {"msg": "The error was: no lid for 'dhcp_'"}`,
    'says-ansible',
    "A task of Ansible fails on 10.9.0.3: The error was: no lid for 'dhcp_'",
  ],
  [
    '   Message:  The inventory cannot be used with this playbook',
    'says-message',
    'By its own message: The inventory cannot be used with this playbook',
  ],
  [
    "depotctl create: error: argument kind: invalid choice: 'big' (choose from 'small')",
    'says-argument',
    "is not one that the program takes: invalid choice: 'big' (choose from 'small')",
  ],
  [
    'error: internal error: Check the host setup: accept_ra is not 2 on bond0',
    'says-libvirt',
    'libvirt refuses it: Check the host setup: accept_ra is not 2 on bond0',
  ],
  [
    'Loaded: bad-setting (Reason: Unit depot.service has a bad unit file setting.)',
    'says-unit-bad',
    'systemd does not take the unit depot.service',
  ],
  [
    'ignition[872]: config drive ("/dev/disk/by-label/DEPOT") not found. Waiting...',
    'says-device-missing',
    'The disk or device /dev/disk/by-label/DEPOT is not there',
  ],
  [
    "depotd: error: 'latin-1' codec can't encode characters in position 0-1",
    'says-encoding',
    'encoded in another way than the program expects',
  ],
  [
    'depotctl: error: Cannot connect to the Docker daemon at unix:///run/docker.sock. Is the docker daemon running?',
    'says-docker-down',
    'Docker does not run on this host',
  ],
  [
    'Error: did not detect an --insecure-registry argument on the Docker daemon',
    'says-docker-argument',
    'runs without --insecure-registry',
  ],
  [
    'ERROR failed to initialize the agent: failed to parse SSH private key from "a": ssh: no key found',
    'says-key-unreadable',
    'An SSH private key cannot be read',
  ],
  [
    'Error translating config: No translator exists for variant fcos with version 0.15.0',
    'says-translator',
    'Butane knows no version 0.15.0 of the variant fcos',
  ],
  [
    'Challenge dns-01: Error urn:ietf:params:acme:error:unauthorized: "No TXT record found at _acme-challenge.fern.lan"',
    'says-acme-record',
    'does not find the TXT record _acme-challenge.fern.lan in the public DNS',
  ],
  [
    'ERROR failed to create typed patch object: .spec.arch: field not declared in schema',
    'says-field-unknown',
    '.spec.arch is not known to this program',
  ],
  [
    'depot.service: Main process exited, code=exited, status=203/EXEC',
    'says-unit-not-run',
    'systemd cannot start the program of depot.service',
  ],
  [
    'dnsmasq-dhcp[378]: DHCP packet received on eth0.2 which has no address',
    'says-no-own-address',
    'The DHCP server cannot answer on eth0.2',
  ],
  [
    'ERROR Error: cloud fern does not exist in clouds-public.yaml',
    'says-object-missing',
    'There is no cloud fern',
  ],
  [
    'depotd: failed: open /srv/depot/config: is a directory',
    'says-is-directory',
    '/srv/depot/config is a directory, and a file is wanted there',
  ],
  [
    'depotd: error: http.response.status=500 err.detail="mkdir /srv/depot: permission denied"',
    'says-access-denied',
    '/srv/depot',
  ],
  [
    'Get https://depot.fern.lan/v2/: malformed HTTP response "\\x15\\x03\\x01"',
    'says-tls-expected',
    '(most often a proxy) wants TLS, and was asked by plain HTTP',
  ],
  [
    'Get http://depot.fern.lan:5000/v2/: malformed HTTP response "\\x15\\x03\\x01"',
    'says-tls-expected',
    '(the mirror registry) wants TLS, and was asked by plain HTTP',
  ],
  [
    '10.9.0.3 is unhealthy: failed to connect: grpc: timed out when dialing',
    'says-member-silent',
    '10.9.0.3 does not answer',
  ],
  [
    'SELinux is preventing /usr/bin/depotd from read access on the file lid.conf.',
    'says-selinux',
    'SELinux keeps /usr/bin/depotd from read access on the file lid.conf',
  ],
  [
    'type=AVC msg=audit(1.2:3): avc:  denied  { write } for  pid=4 comm="depotd" name="lid" dev="dm-0" permissive=0',
    'says-selinux',
    'SELinux denies depotd an access (write) (lid)',
  ],
  [
    'level=fatal msg="listen unix /run/depot/depot.sock: bind: address already in use"',
    'says-socket-taken',
    'The socket /run/depot/depot.sock is there already',
  ],
  [
    'authentication.go:73] "Unable to authenticate the request" err="[invalid bearer token, oidc: verify token: oidc: token is expired (Token Expiry: 2026-11-11 11:40:27 +0000 UTC)]"',
    'says-token-expired',
    'The token that was sent has expired (2026-11-11 11:40:27)',
  ],
  [
    'err="[invalid bearer token, oidc: verify token: oidc: expected audience \\"fern\\" got [\\"moss\\"]]"',
    'says-token-of-others',
    'The API does not take the token of the identity provider: expected audience "fern" got ["moss"]',
  ],
  [
    'Error: LDAP Result Code 53 "Unwilling To Perform": Too many failed logins.',
    'says-ldap-refused',
    'it is not willing to (Unwilling To Perform: Too many failed logins)',
  ],
  [
    'AuthenticationError: LDAP Result Code 49 "Invalid Credentials": 80090308: LdapErr: DSID-0C, comment: AcceptSecurityContext error, data 775, v4563',
    'says-ldap-refused',
    'refuses the login or the search: the account is locked',
  ],
  [
    'fit failure on node (wren-w1): PodFitsHostPorts',
    'says-unschedulable',
    'No node can run the pod (wren-w1: PodFitsHostPorts: the ports of the host that it wants are taken)',
  ],
  [
    'error adding container to network "br-a": failed to set vf 3 vlan configuration: operation not permitted',
    'says-pod-not-connected',
    '(failed to set vf 3 vlan configuration: operation not permitted)',
  ],
  [
    'error getting driver: readlink /sys/bus/pci/devices/0000:5e:02.1/driver: no such file or directory',
    'says-file-missing',
    'The file /sys/bus/pci/devices/0000:5e:02.1/driver is not there',
  ],
  [
    'Warning  ProvisioningFailed  2m  fern.lan/csi  failed to provision volume with StorageClass "depot": rpc error: code = ResourceExhausted desc = pool lid is full',
    'says-volume-not-made',
    'The storage behind the class depot does not make a volume (rpc error: code = ResourceExhausted desc = pool lid is full)',
  ],
  [
    'Internal error occurred: failed calling webhook "lid.fern.lan": failed to call webhook: Post "https://lid.depot.svc:443/mutate?timeout=10s": x509: certificate signed by unknown authority',
    'says-webhook-untrusted',
    'The API does not trust the certificate of lid.depot.svc:443 (a service inside the cluster), which serves the webhook lid.fern.lan',
  ],
  [
    '[ALERT] 028/000017 (16567) : Starting frontend depot: cannot bind socket [10.9.0.30:6443]',
    'says-not-bound',
    'The program cannot listen at 10.9.0.30:6443: the address is not one of this machine, or the port is taken',
  ],
  [
    'nginx: [emerg] bind() to 10.9.0.30:443 failed (99: Cannot assign requested address)',
    'says-not-bound',
    'The program cannot listen at 10.9.0.30:443 (Cannot assign requested address): the address is not one of this machine',
  ],
  [
    'depot.service: Failed at step EXEC spawning /srv/depotd: Permission denied',
    'says-program-not-run',
    'systemd cannot start the program /srv/depotd (Permission denied): it may not be run',
  ],
  ['health: HEALTH_WARN 1 osds down', 'says-ceph', 'Ceph is not well: 1 osds down'],
  [
    'Error: unable to parse image ":4.99": invalid reference format',
    'says-image-name',
    'An image is not named as the program takes it: ":4.99": invalid reference format',
  ],
  [
    'depotd: TLS handshake with 10.9.0.7:4460 failed: The certificate chain uses expired certificate.',
    'says-certificate-time',
    'The certificate of 10.9.0.7:4460 has expired, or the clock of this machine is ahead',
  ],
  [
    'api-vip <10.9.0.9> is already in use in cidr 10.9.0.0/24',
    'says-address-taken',
    'The address api-vip <10.9.0.9> is held by another machine already',
  ],
  [
    'error when evicting pods/"depot-0" -n "fern": This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    'says-budgets-overlap',
    'Two disruption budgets select the same pod depot-0',
  ],
  [
    `error when evicting pods/"depot-0" -n "fern": Cannot evict pod as it would violate the pod's disruption budget.`,
    'says-budget',
    'A disruption budget does not let the pod depot-0 go',
  ],
  [
    'denied: installation not allowed to Write organization package',
    'says-denied',
    'The other end refuses it: installation not allowed to Write organization package',
  ],
  [
    'The request GET https://10.9.0.4:5000/v2/ is DENIED; last ACL checked: sites',
    'says-forbidden',
    'The proxy does not let it pass to 10.9.0.4:5000',
  ],
  [
    'depotctl: request failed: unexpected status code [http 522]',
    'says-server-fails',
    'an error of its own (522)',
  ],
  [
    'Starting frontend web: cannot bind socket (Permission denied) [0.0.0.0:80]',
    'says-port-denied',
    'The program may not listen at 0.0.0.0:80',
  ],
  [
    'kernel: filter_FWD_public_REJECT: IN=flannel.1 OUT=cni0 MAC=aa SRC=10.9.1.0 DST=10.9.0.2 LEN=69 PROTO=UDP SPT=4 DPT=53',
    'says-firewall',
    'The firewall of this machine (filter_FWD_public_REJECT) turns away what comes from 10.9.1.0 for 10.9.0.2 port 53',
  ],
  ['Error: exited with code 137', 'says-killed', 'A process was killed (SIGKILL)'],
  [
    '/srv/depot.sh: line 42:    34 Killed                  depotd -f /etc/depot.conf',
    'says-killed',
    'A process (depotd) was killed (SIGKILL)',
  ],
  [
    'Failed to connect to the host via ssh: ssh: Could not resolve hostname fern_hosts | default([]): Name or service not known',
    'says-name-is-no-name',
    'the settings have the word "fern_hosts | default([])"',
  ],
  [
    'fernnic 0000:01:00.0: Direct firmware load for fern/nic-7.fw failed with error -2',
    'says-driver-firmware',
    'The driver fernnic finds no firmware fern/nic-7.fw for its device',
  ],
  [
    'sshd: no hostkeys available -- exiting.',
    'says-ssh-server-keys',
    'The SSH server has no host keys that it can read',
  ],
  [
    'Error: crun: set propagation for `proc`: Permission denied: OCI permission denied',
    'says-container-set-up-denied',
    'The runtime may not set up the container (set propagation for',
  ],
  [
    'bash: /opt/fern/oc: Operation not permitted',
    'says-program-forbidden',
    'This machine does not let /opt/fern/oc run',
  ],
  [
    'curl: (60) SSL certificate problem: CA signature digest algorithm too weak',
    'says-certificate-weak',
    'signed by a digest (SHA-1, MD5) that the policy of this machine holds for too weak',
  ],
  [
    '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: CA md too weak (_ssl.c:1129)',
    'says-certificate-weak',
    'signed by a digest (SHA-1, MD5) that the policy of this machine holds for too weak',
  ],
  [
    '"module_stdout": "/bin/sh: 1: /usr/bin/python: not found ",',
    'says-program-missing',
    'The program /usr/bin/python is not there',
  ],
  [
    'http://depot.fern.lan/vmlinuz... Operation not supported (https://ipxe.org/3c092083)',
    'says-ipxe-protocol',
    'This iPXE cannot fetch http://depot.fern.lan/vmlinuz: it was built without that protocol (http)',
  ],
  [
    'avc:  denied  { name_connect } for  pid=9 comm="fernd" dest=5000 scontext=system_u:system_r:fern_t:s0 tcontext=system_u:object_r:commplex_main_port_t:s0 tclass=tcp_socket permissive=0',
    'says-selinux',
    'SELinux denies fernd an access (name_connect port 5000 on what has the label commplex_main_port_t)',
  ],
  ['kernel: oom-kill: task=depotd', 'says-memory', 'There is not enough memory'],
  [
    'kernel: Memory cgroup out of memory: Killed process 811 (depotd) total-vm:856872kB, anon-rss:49600kB',
    'says-memory-limit-reached',
    'The memory that a container or slice (its cgroup) may use is used up, and the kernel killed depotd there',
  ],
  [
    'kernel: oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/fern.slice,task_memcg=/fern.slice/depotd.service,task=depotd,pid=811,uid=0',
    'says-memory-limit',
    'The memory that /fern.slice may use is used up, and the kernel killed depotd there',
  ],
  [
    'Warning FailedScheduling 0/3 nodes are available: 3 Insufficient cpu.',
    'says-unschedulable',
    'No node can run the pod (3 Insufficient cpu)',
  ],
  [
    'Error: listen tcp 0.0.0.0:8443: bind: address already in use',
    'says-port-taken',
    'The port 0.0.0.0:8443 is taken by another program',
  ],
  ['Error: accept: too many open files', 'says-open-files', 'The limit of open files is reached'],
  ['Error: open /etc/x: read-only file system', 'says-read-only', '/etc/x is mounted read-only'],
  [
    "mkdir: cannot create directory '/usr/share/fern': Read-only file system",
    'says-read-only',
    '/usr/share/fern is mounted read-only, as /usr is on every CoreOS',
  ],
  [
    `Head "https://depot.fern.lan/v2/a/manifests/1": error parsing HTTP 429 response body: invalid character 'T' looking for beginning of value: "Too many login attempts. \\nReset it."`,
    'says-login-locked',
    'takes no login of this account for now',
  ],
  [
    `Head "https://depot.fern.lan/v2/a/manifests/1": error parsing HTTP 403 response body: invalid character 'B' looking for beginning of value: "Blocked by the \\nsite"`,
    'says-answer-unparsed',
    'answers 403: Blocked by the site',
  ],
  [
    `Get "https://depot.fern.lan/v2/": error parsing HTTP 502 response body: invalid character '<' looking for beginning of value: "<html>"`,
    'says-answer-unparsed',
    'answers with an error of its own (502)',
  ],
  [
    'Container image fern-deployer does not exist on the local machine, please build first.',
    'says-local-image-missing',
    'The image fern-deployer is not in the local storage of this machine',
  ],
  [
    'FATA[0000] invalid index: └── invalid package "fern":',
    'says-catalogue-invalid',
    'its package "fern" has a mistake',
  ],
  [
    'Unable to apply 4.15.3: timed out waiting for the condition during syncFernPools:',
    'says-operator-waits',
    'An operator is not done with 4.15.3: it waited too long in syncFernPools',
  ],
  [
    'exec /usr/bin/depot: exec format error',
    'says-other-architecture',
    'another processor architecture',
  ],
  [
    'Fatal glibc error: CPU does not support x86-64-v2',
    'says-old-processor',
    'The processor is too old for the program (it wants x86-64-v2)',
  ],
  [
    "./depot: /lib64/libc.so.6: version `GLIBC_2.34' not found (required by ./depot)",
    'says-old-library',
    'built for a newer system than this one (GLIBC_2.34)',
  ],
  [
    'Error: runc: exec: "sleep": executable file not found in $PATH',
    'says-program-missing',
    'The program sleep is not there',
  ],
  ['sh: 1: frobnicate: not found', 'says-program-missing', 'The program frobnicate is not there'],
  [
    'FATA[0005] failed to unpack: unexpected media type text/html for sha256:0123abcd: not found',
    'says-web-page',
    'answers is a web page',
  ],
  [
    'Error: failed to get sandbox image "registry.k8s.io/pause:3.6": Get "https://registry.k8s.io/v2/": dial tcp: lookup registry.k8s.io: Try again',
    'says-internet-asked',
    'registry.k8s.io is on the internet and cannot be reached from here: without internet, what it has must come from a mirror',
  ],
  [
    'Error: Get "https://depot.fern.lan/": dial tcp: lookup depot.fern.lan on 10.9.0.2:53: lame referral',
    'says-name-server-fails',
    'The name server 10.9.0.2:53 answers with a failure (depot.fern.lan)',
  ],
  [
    'Error: could not access KVM kernel module: No such file or directory',
    'says-no-virtualisation',
    'no hardware virtualisation',
  ],
  [
    'Error: open /srv/depot/a.key: permission denied',
    'says-access-denied',
    'The machine refuses access (/srv/depot/a.key)',
  ],
  ['Error acquiring the state lock: resource busy', 'says-busy', 'Something else is using it'],
  [
    'Error: spec.size: Invalid value: 3: must be even',
    'says-field-invalid',
    'The field spec.size is not valid (3: must be even)',
  ],
  [
    'The Depot "main" is invalid: spec.speed: Unsupported value: "Faster": supported values: "", "Slow"',
    'says-field-invalid',
    'The field spec.speed is not one of the values it may have ("Faster": supported values: "", "Slow")',
  ],
  [
    'java.net.UnknownHostException: depot.fern.lan',
    'says-name-unknown',
    'The name depot.fern.lan is not known',
  ],
  [
    'Error: lookup $DEPOT_HOST: no such host',
    'says-name-is-no-name',
    'the settings have the word "$DEPOT_HOST"',
  ],
  [
    'Error: reading manifest sha256:ab in depot.fern.lan:5000/a/b: StatusCode: 404, <HTML><HEAD>',
    'says-page-missing',
    'sha256:ab in depot.fern.lan:5000/a/b is not there',
  ],
  [
    'Error from server (NotFound): the server could not find the requested resource (get projectrequests.project.openshift.io)',
    'says-kind-of-openshift-unknown',
    'does not offer this client the kind projectrequests.project.openshift.io of OpenShift',
  ],
  [
    'Error: platform.depot.zone: Required value: name a zone',
    'says-field-invalid',
    'The field platform.depot.zone is missing (name a zone)',
  ],
  [
    'error: strict decoding error: unknown field "spec.colour"',
    'says-field-unknown',
    'spec.colour is not known to this program or its version',
  ],
  [
    'error: yaml: line 23: did not find expected key',
    'says-yaml-wrong',
    'A file is no valid YAML at line 23 (did not find expected key)',
  ],
  [
    "Error: invalid character 'a' looking for beginning of value",
    'says-json-wrong',
    'A file or an answer is not what was expected (looking for beginning of value)',
  ],
  ['Error: a.img: sha256 checksum does not match', 'says-content-changed', 'its checksum differs'],
  ['Error: reading a.tar: unexpected EOF', 'says-content-torn', 'cut off or damaged'],
  [
    'gzip: stdin: not in gzip format',
    'says-no-archive',
    'A file is not of the form that its name promises (gzip)',
  ],
  [
    'level=fatal msg="kvm kernel module is not loaded"',
    'says-local-host',
    "By the program's own check of this host: kvm kernel module is not loaded",
  ],
  [
    'Error: reading config: /srv/depot/a.ign: No such file or directory (os error 2)',
    'says-file-missing',
    'The file /srv/depot/a.ign is not there',
  ],
  [
    'Error: decoding image: xz decoder: corrupt input',
    'says-content-torn',
    'A file or a transfer is cut off or damaged',
  ],
  [
    'depotctl: error: the store named larch is already taken',
    'says-exists',
    'larch is there already',
  ],
  ['FATA Hyper-V not installed', 'says-local-host', 'check of this host: Hyper-V not installed'],
  ['tar: This does not look like a tar archive', 'says-no-archive', 'promises (tar)'],
  ['depotctl: error: zip: not a valid zip file', 'says-no-archive', 'promises (zip)'],
  [
    'failed handling the route: route is not available at canonical host door.apps.fern.lan: []',
    'says-route-not-taken',
    'No router of the cluster has taken the route door.apps.fern.lan',
  ],
  [
    'panic: runtime error: index out of range [3]',
    'says-crashed',
    'The program crashed (runtime error: index out of range [3])',
  ],
  [
    'Error: open /srv/depot/a.yaml: no such file or directory',
    'says-file-missing',
    'The file /srv/depot/a.yaml is not there',
  ],
  [
    'MountVolume.SetUp failed for volume "pv-1" : mount failed: exit status 32',
    'says-volume-unmounted',
    'A volume pv-1 cannot be attached or mounted (mount failed: exit status 32)',
  ],
  [
    'MountVolume.SetUp failed for volume "pv-1" (UniqueName: "kubernetes.io/depot/pv-1") pod "oak" (UID: "7cc1") : rpc error: code = Internal desc = the lid of /srv/a is lost',
    'says-volume-unmounted',
    'A volume pv-1 cannot be attached or mounted (the lid of /srv/a is lost)',
  ],
  ['Error: accepts 0 arg(s), received 1', 'says-usage', 'The command is given other arguments'],
  [
    "Error: storage volume 'base' already exists",
    'says-exists',
    "storage volume 'base' is there already",
  ],
  [
    'Error from server (NotFound): machines "w-1" not found',
    'says-object-missing',
    'There is no machine "w-1"',
  ],
  [
    'FATAL failed to generate "Platform": no clouds.yaml file found',
    'says-object-missing',
    'There is no clouds.yaml file',
  ],
  [
    'Error: Get "https://depot.fern.lan/api": invalid character \'<\' looking for beginning of value',
    'says-web-page',
    'What depot.fern.lan answers is a web page',
  ],
  [
    'Error: unexpected 405 response from https://depot.fern.lan/v2/',
    'says-method-refused',
    'depot.fern.lan (the mirror registry) does not take such a request (405)',
  ],
  [
    'Error: 408 Request Time-out',
    'says-upload-slow',
    'gave up waiting for the rest of the request (408)',
  ],
  [
    'Server error: 301 trying to push',
    'says-redirected',
    'The other end answers with a redirect where none is expected',
  ],
  [
    'writing blob: StatusCode: 400, <html>',
    'says-request-bad',
    'The other end, or what is before it, takes the request for malformed',
  ],
  [
    'error: unable to push manifest to depot.fern.lan:5000/a: manifest invalid',
    'says-manifest-refused',
    'depot.fern.lan:5000 (the mirror registry) does not take the manifest',
  ],
  [
    'Error: error resolving name : object required',
    'says-reference-incomplete',
    'The name of an image is empty',
  ],
  [
    'Error: error resolving name reg.lab/fern: object required',
    'says-reference-incomplete',
    'The image reg.lab/fern is named without a tag or digest',
  ],
  ['Error: blob unknown to registry', 'says-blob-missing', 'A layer is not where it should be'],
  [
    'Error: unsupported MIME type for compression: application/vnd.in-toto+json',
    'says-type-unknown',
    'does not know this kind of content (application/vnd.in-toto+json)',
  ],
  [
    'nginx: [emerg] PEM_read_bio_X509("/srv/depot.crt") failed',
    'says-pem-wrong',
    'A certificate or key /srv/depot.crt is no PEM text',
  ],
  [
    'Error: tls: private key does not match public key',
    'says-key-of-other',
    'The private key does not belong to the certificate',
  ],
  [
    'Container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady',
    'says-pod-network-missing',
    'The pod network of the node is not up',
  ],
  [
    'Failed to create pod sandbox: plugin type="multus" failed (add): error adding container to network "l2": no free ranges',
    'says-pod-not-connected',
    'The network plugin does not connect the pod (no free ranges)',
  ],
  [
    'Multi-Attach error for volume "pv-1" Volume is already used',
    'says-volume-elsewhere',
    'The volume pv-1 is still held by another node',
  ],
  [
    'CSINode w-1 does not contain driver csi.fern.example',
    'says-volume-driver-missing',
    'The storage driver csi.fern.example does not run on the node',
  ],
  [
    "Error: OS Provisioning for VM 'c1-boot' did not finish in the allotted time",
    'says-machine-not-up',
    'The machine c1-boot did not finish its first boot in time',
  ],
  [
    'dnsmasq-dhcp: 77 DHCPNAK(prov) 10.9.0.43 52:54:00:00:00:01 address in use',
    'says-address-taken',
    'The address 10.9.0.43 is held by another machine already',
  ],
  [
    'Error: dial tcp: lookup depot.fern.lan on 10.9.0.2:53: dial udp 10.9.0.2:53: socket: permission denied',
    'says-socket-denied',
    'The machine forbids the program to open a connection',
  ],
  [
    'fatal: rpc error: code = Unimplemented desc = unknown service runtime.v1.ImageService',
    'says-not-offered',
    'does not offer runtime.v1.ImageService',
  ],
  [
    'Stderr: Error setting Chassis Boot Parameter 5',
    'says-boot-device-refused',
    'The other end does not take the device',
  ],
  [
    'E0410 1 controller.go:9] "error"="failed to create repo: invalid provider url. Only depots are taken" "name"="a"',
    'says-value-invalid',
    'The provider url is not valid (Only depots are taken)',
  ],
  [
    'Failed: depotd process failed: flag provided but not defined: -profile',
    'says-field-unknown',
    '-profile is not known to this program',
  ],
  [
    'Caused by: https://depot.fern.lan/stable.json: timed out',
    'says-unanswered',
    'depot.fern.lan does not answer',
  ],
  [
    'depotctl: connection error: desc = "transport: Error while dialing: dial unix:///run/depot/depot.sock: timeout"',
    'says-socket-silent',
    'Nothing answers at the socket /run/depot/depot.sock',
  ],
  [
    "depotd[31]: /etc/depot.conf:12: missing ';' before 'zone'",
    'says-config-line',
    "A line of /etc/depot.conf is not taken (line 12): missing ';' before 'zone'",
  ],
  [
    'FATAL: Bungled /etc/squid/squid.conf line 3: acl depot',
    'says-config-line',
    'A line of /etc/squid/squid.conf is not taken (line 3): acl depot',
  ],
  ['dnsmasq[1]: unknown interface eth1', 'says-card-missing', 'no network card eth1'],
  [
    "Keepalived_vrrp[9]: (Line 12) WARNING - interface eth0 for vrrp_instance VI_1 doesn't exist",
    'says-card-missing',
    'no network card eth0',
  ],
  [
    'error: unable to drain node "till-1" due to error:cannot delete Pods declare no controller (use --force to override): depot/a-1',
    'says-drain-refused',
    'The drain does not take pods that declare no controller off the node (depot/a-1)',
  ],
  [
    'Error creating: pods "till-x" is forbidden: no providers available to validate pod request',
    'says-scc',
    'The service account of the pod till-x may use no security context constraint at all',
  ],
  [
    'could not attach volume: VolumeInUse: volume vol-1 is already attached to an instance',
    'says-volume-elsewhere',
    'is still held by another node',
  ],
  [
    'error: cannot delete Pods with local storage (use --delete-emptydir-data to override): depot/a-1',
    'says-drain-refused',
    'The drain does not take pods with local storage off the node (depot/a-1) unless it is told to',
  ],
  [
    'Error: 10.9.0.3:2380: remote error: tls: bad certificate',
    'says-certificate-refused',
    '10.9.0.3:2380 (etcd) does not accept the certificate that it is shown (bad certificate)',
  ],
  [
    'panic: tocommit(11) is out of range [lastIndex(3)]. Was the raft log corrupted, truncated, or lost?',
    'says-data-damaged',
    'The data that etcd has on this machine are damaged or not whole',
  ],
  [
    'Error authenticating "kim" with provider "fern_ldap": LDAP Result Code 32 "No Such Object":',
    'says-ldap-base-missing',
    'The LDAP server of the identity provider fern_ldap has no entry by the name that is searched',
  ],
  [
    'depotd[31]: could not listen on UDP socket: permission denied',
    'says-port-denied',
    'The program may not listen at this port or socket',
  ],
  [
    'depotd[31]: open: /etc/depot.conf: permission denied',
    'says-access-denied',
    'The machine refuses access (/etc/depot.conf)',
  ],
  [
    'Error: crun: creating cgroup directory `/sys/fs/cgroup/depot`: Permission denied',
    'says-access-denied',
    'The machine refuses access (/sys/fs/cgroup/depot)',
  ],
  [
    "error: Cannot access storage file '/srv/depot/a.qcow2' (as uid:107, gid:107): No such file or directory",
    'says-file-missing',
    'The file /srv/depot/a.qcow2 is not there',
  ],
  [
    'haproxy[31]: Server depot-http/w-1 is DOWN, reason: Layer4 connection problem, info: "Connection refused", check duration: 0ms. 0 active and 0 backup servers left.',
    'says-server-down',
    'The load balancer takes its server depot-http/w-1 for down (Layer4 connection problem)',
  ],
  [
    'Keepalived_vrrp[31]: VRRP_Script(check_depot) failed (exited with status 1)',
    'says-check-fails',
    'The check check_depot of keepalived fails on this machine',
  ],
  ['Keepalived_vrrp[31]: Script `check_depot` now returning 1', 'says-check-fails', 'check_depot'],
  [
    'Error: unable to start container "5c": setting cgroup config for procHooks process caused: open /sys/fs/cgroup/user.slice/user-1001.slice/user@1001.service/user.slice/libpod-5c.scope/pids.max: no such file or directory',
    'says-cgroup-missing',
    'The user 1001 may not use the cgroup controller pids',
  ],
  [
    'Error: OCI runtime error: crun: the requested cgroup controller `cpu` is not available',
    'says-cgroup-missing',
    'The container may not use the cgroup controller cpu',
  ],
  [
    '[ALERT]    (31) : Starting frontend GLOBAL: error when trying to preserve previous UNIX socket (Permission denied) [/var/lib/depot/stats]',
    'says-socket-path-denied',
    'The program may not make its socket /var/lib/depot/stats',
  ],
  [
    'depotd: listen unix /run/depot/depot.sock: bind: permission denied',
    'says-socket-path-denied',
    'The program may not make its socket /run/depot/depot.sock',
  ],
  [
    'WARN[0000] The cgroupv2 manager is set to systemd but there is no systemd user session available',
    'says-no-session',
    'This user has no systemd session',
  ],
  [
    'ERROR ConfigInvalid: Could not contact depot-inspector for version discovery',
    'says-not-contacted',
    'depot-inspector does not answer as it should',
  ],
  [
    'Error: --dir and --file cannot be used together',
    'says-options-clash',
    'Settings are given that exclude each other: --dir and --file cannot be used together',
  ],
  [
    'FATA[0001] --plain and --tls are mutually exclusive',
    'says-options-clash',
    'exclude each other: --plain and --tls are mutually exclusive',
  ],
  [
    'error: only one of --from, --file, or --dir may be specified',
    'says-options-clash',
    'only one of --from, --file, or --dir may be specified',
  ],
  [
    'time="2026-08-20T10:00:00Z" level=fatal msg="failed to begin: must specify a depot with --from" depot="x"',
    'says-option-missing',
    'Something that the program wants is not given: must specify a depot with --from',
  ],
  [
    'level=fatal msg=no depot specified for the harbour',
    'says-option-missing',
    'is not given: no depot specified for the harbour',
  ],
  ['FATA[0001] Exactly two arguments expected', 'says-option-missing', 'Exactly two arguments'],
  [
    'E0820 10:00:00.000001       7 main.go:12] failed: depot "a.fern.lan:5000/x" must be a relative time',
    'says-not-taken',
    'The program does not take what it was given: depot "a.fern.lan:5000/x" must be a relative time',
  ],
  [
    'depotd: error: unsupported depot driver "tape"',
    'says-not-taken',
    'given: unsupported depot driver "tape"',
  ],
  [
    "Error: --output only supports 'json' for --tags",
    'says-not-taken',
    "--output only supports 'json' for --tags",
  ],
  [
    'Error: repository name must be lowercase',
    'says-image-name',
    'An image is not named as the program takes it: repository name must be lowercase',
  ],
  [
    'FATA[0000] Docker references with both a tag and digest are currently not supported',
    'says-image-name',
    'references with both a tag and digest are currently not supported',
  ],
  [
    'error: the semantic version "4.99.1" is not present in the cluster version status or in the official versions list, cannot be resolved',
    'says-release-unknown',
    'Neither the cluster nor the list of released versions knows 4.99.1',
  ],
  [
    'error: registry "depot.fern.lan" is not an accessible registry with a v2 Docker endpoint',
    'says-no-registry',
    'What answers at depot.fern.lan is not a registry as the program expects it',
  ],
  [
    'Error: crun: executable file `tide` not found in $PATH: No such file or directory: OCI runtime attempted to invoke a command that was not found',
    'says-program-missing',
    'The program tide is not there',
  ],
  [
    '{"level":"error","error":"boltdb file is already in use","path":"/srv/depot/cache.db"}',
    'says-busy',
    'Something else is using it',
  ],
  [
    'Error: reading blob sha256:aa: Size mismatch when copying sha256:aa, expected 700, got 512',
    'says-content-torn',
    'cut off or damaged',
  ],
  [
    'Error: unable to find network with name or ID tide: network not found',
    'says-object-missing',
    'There is no network with name or ID tide',
  ],
  [
    'Error: no container with name or ID "tide" found: no such container',
    'says-object-missing',
    'There is no container with name or ID "tide"',
  ],
  [
    'error: the image is a manifest list and contains multiple images - use --filter-by-os to select from:',
    'says-several-platforms',
    'images of several architectures',
  ],
  [
    'net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
    'says-upload-stalls',
    'The push had begun',
    '5337962fb724: Retrying in 1 seconds',
  ],
  [
    'spec.depot.storage in body must be of type object: "array"',
    'says-field-of-schema',
    'The field spec.depot.storage is not as its definition in the cluster wants it: it must be of type object: "array"',
  ],
  [
    'invalid argument "/web:1" for "-t, --tag" flag: invalid reference format',
    'says-image-name',
    '"/web:1" for "-t, --tag" flag: invalid reference format',
  ],
  [
    'error parsing reference: "FERN/tide:1" is not a valid repository/tag: invalid reference format: repository name (FERN/tide) must be lowercase',
    'says-image-name',
    'repository name (FERN/tide) must be lowercase',
  ],
  [
    'error: release image did not contain an image-references file',
    'says-no-release',
    'The image is no release of OpenShift',
  ],
  [
    'Error: depot.fern.lan/tide:1: image not known',
    'says-image-not-held',
    'This machine does not hold the image depot.fern.lan/tide:1',
  ],
  [
    'deviceSelector: device path /dev/disk/by-path/pci-0000:3b:00.0 not found',
    'says-device-missing',
    'The disk or device /dev/disk/by-path/pci-0000:3b:00.0 is not there',
  ],
  [
    'ovs-vswitchd: could not open network device eth9 (No such device)',
    'says-card-missing',
    'There is no network card eth9 on this machine',
  ],
  [
    'version   4.16.1   True   True   27h   Unable to apply 4.16.2: the cluster operator fern is degraded',
    'says-update-stuck',
    'The cluster cannot be brought to 4.16.2: the cluster operator fern is degraded',
  ],
  [
    'version   4.16.1   True   True   27h   Unable to apply 4.16.2: an unknown error has occurred: MultipleErrors',
    'says-update-stuck',
    'The cluster cannot be brought to 4.16.2; why, this line does not tell',
  ],
  [
    'version   4.16.1   True   False   27h   Error while reconciling 4.16.1: the cluster operator fern is degraded',
    'says-update-stuck',
    'The cluster cannot be kept at 4.16.1: the cluster operator fern is degraded',
  ],
  [
    "  - message: 'Failed to delete the leaves: 1 remains'",
    'says-message',
    'By its own message: Failed to delete the leaves: 1 remains',
  ],
  [
    'Error: lookup fern.lan on 10.9.0.2:53: cannot unmarshal DNS message',
    'says-dns-answer-unread',
    'The answer of the name server 10.9.0.2:53 for fern.lan cannot be read',
  ],
  [
    'Error: unauthorized',
    'says-login-refused',
    'or gives it no right to this. Its words: unauthorized',
  ],
  [
    'rpc error: code = Aborted desc = plugin panicked: runtime error: index out of range, stack trace: goroutine 9',
    'says-crashed',
    'The program crashed (runtime error: index out of range): a fault of its own',
  ],
];

const OF_OTHER_TESTS = new Set(
  [...INSTALL_READINGS, ...PROGRAM_READINGS, ...RUNNING_READINGS, ...STATE_READINGS].map(
    ({ id }) => id,
  ),
);

testSaidLines(
  SAID.map(([line, id, cause, lead]) => ({ line, id, cause, lead })),
  PLAIN_READINGS.filter(({ id }) => !OF_OTHER_TESTS.has(id)),
);

test('each reading has a name of its own', () => {
  const ids = PLAIN_READINGS.map(({ id }) => id);

  expect(new Set(ids).size).toBe(ids.length);
});

/** Words that go on too long for a pattern that goes back and forth. */
test.each(PLAIN_READINGS.map(({ id, pattern }) => [id, pattern] as const))(
  'the pattern of %s ends on text that nearly fits, again and again',
  (_, pattern) => {
    for (const part of [
      'lookup a.b on ',
      '"a" ',
      'Get "https://a:1',
      'failed to find a ',
      'quota ',
      'failed to make: ',
      'fatal: [a] FAILED! => "msg": "',
      '"level":"error" "error":"a ',
      'level=error msg="a" func=assisted error="a ',
      'Error syncing a: ',
      'error: no a may only one of ',
      'must be a: ',
    ]) {
      const text = part.repeat(Math.ceil(2000 / part.length)).slice(0, 2000);

      expect([true, false]).toContain(pattern.test(text));
    }
  },
);

test.each([
  'Started the depot at https://depot.fern.lan:8443',
  'the storage of depot.fern.lan was looked for and found',
  'node "w-1" not found',
  'haproxy[31]: Server api/bootstrap is DOWN, reason: Layer4 connection problem. 3 active and 0 backup servers left.',
  'Keepalived_vrrp[31]: VRRP_Script(check_depot) succeeded',
  "named[31]: /etc/named.conf:14: option 'depot' is deprecated",
  'the password must be specified, and was',
  'Error: image not known',
  '401      |Session required        |ApiError',
  'where ResponseStatus.code == 500',
  'heartbeat-interval: 500',
  'sign -in lid.csr -out lid.crt -days 500',
  'Failed to list: Get "/api/v1/nodes?limit=500&resourceVersion=0"',
  'pgs: 35510/78009 objects misplaced (45.520%)',
  'AttachVolume.Attach failed for volume "pv-1" : rpc error: code = Unknown',
  'error: an unknown error has occurred (in the depot)',
  '  ErrorDocument 401 /basic/fail.cgi',
  'SystemCallErrorNumber=EPERM',
  '  error_page 500 502 503 504 /50x.html;',
  '  errorfile 503 /etc/haproxy/errors/503.http',
  '    location /v2 { return 403; }',
  '  --from-file=error-page-503.http \\',
  '  --retry   try again when the server answers 503',
])('readPlainly has nothing to say of %j', (line) => {
  expect(readPlainly(line)).toBeUndefined();
});

test('readPlainly shows no secret of the line', () => {
  const reading = readPlainly(
    'Error: Post "https://kim:Bramble7x@depot.fern.lan/": dial tcp 10.9.0.3:443: connect: connection refused',
  );

  expect(reading?.cause).toContain('depot.fern.lan');
  expect(JSON.stringify(reading)).not.toContain('Bramble7x');
});

test('readPlainly tells of a push that is led elsewhere only behind a layer that was being pushed', () => {
  const line = 'dial tcp 10.9.0.4:5001: connect: connection refused';

  expect(readPlainly(line, '$ depotctl status')?.id).toBe('says-refused');
  expect(readPlainly(line)?.id).toBe('says-refused');
});

test('readPlainly shows no word that is a secret by what stands before it', () => {
  const reading = readPlainly('Error: api_key: Bramble7xQ already exists');

  expect(reading).toMatchObject({
    id: 'says-exists',
    cause: expect.stringMatching(/^It is there/),
  });
});

test('readPlainly adds the words of the line to a sentence that names nothing of it', () => {
  expect(readPlainly('depotctl: error: write of lid.bin: ENOSPC')?.cause).toBe(
    'A disk is full, or nearly so. Its words: depotctl: error: write of lid.bin: ENOSPC',
  );
});

test('readPlainly takes a node without pressure for none that has it', () => {
  expect(readPlainly('Node node-1 status is now: NodeHasNoDiskPressure')).toBeUndefined();
  expect(
    readPlainly('DiskPressure   False   KubeletHasNoDiskPressure   kubelet has no disk pressure'),
  ).toBeUndefined();
  expect(readPlainly('DiskPressure   False   kubelet has no pressure')).toBeUndefined();
});

test('readPlainly reads what failed with an answer that ends in a brace', () => {
  expect(readPlainly('request failed with status 401 {}')?.id).toBe('says-login-refused');
  expect(readPlainly('Authentication failed for kim')?.id).toBe('says-login-refused');
});

test.each(['403', '401', '500'])(
  'readPlainly takes line %s of a source file for no answer',
  (no) => {
    expect(readPlainly(`failed (depot/deploy.go:${no})`)).toBeUndefined();
    expect(readPlainly(`failed: depot.fern.lan answers ${no}`)).toBeDefined();
  },
);

test.each([
  'worker   rendered-worker-1   False   False   False   3   1   1   0   9h',
  'dns      4.20.0   True   False   False   5m   All is well with it',
  'dns      4.20.0   True   False   True   5m',
])('a row of a table that tells of no operator in need is read by none: %s', (line) => {
  expect(readPlainly(line)).toBeUndefined();
});
