import { because, named, type PlainReading, word } from '../plain-reading.ts';

const TERRAFORM_INIT =
  'Run "terraform init" there; without internet from a mirror of the providers (provider_installation in .terraformrc, "terraform providers mirror")';

/** What the commands of administrators say of themselves: ssh, curl, git, terraform. */
export const COMMAND_READINGS: readonly PlainReading[] = [
  {
    id: 'says-ssh-closed',
    pattern: /(?:kex|ssh)_exchange_identification: (?<why>.{5,80})/,
    cause: (found) =>
      `The SSH server ends the connection before any login (${word(found, 'why')}): too many at once (MaxStartups), a filter, or it is just starting`,
    remedy: 'Look at the journal of sshd on that machine; try with fewer connections at a time',
  },
  {
    id: 'says-ssh-forward',
    pattern:
      /open failed: (?:administratively prohibited|connect failed: (?<why>[^\n]{4,80}))|\bMux\w*: .{0,40}administratively prohibited/,
    cause: (found) =>
      word(found, 'why') === undefined
        ? 'The SSH server does not allow this forwarding'
        : `The SSH connection stands, and the server at its end does not get to the place that the tunnel leads to (${word(found, 'why')})`,
    remedy:
      'Look from that server whether the host and port behind -L or -J answer; where it is prohibited, set AllowTcpForwarding (and PermitOpen) in its sshd_config',
  },
  {
    id: 'says-rsync-no-shell',
    isGeneral: true,
    pattern: /rsync: connection unexpectedly closed|rsync error: .{5,80} \(code (?:12|255)\)/,
    cause: () =>
      'rsync got no other end: the login by ssh failed, or that machine has no rsync (the lines before tell)',
    remedy:
      'Log in by ssh with the same key and user, and see whether "rsync --version" runs there',
  },
  {
    id: 'says-not-executable',
    pattern:
      /(?:fork\/exec|\bexec:?) "?(?<file>\/[^\s:"]+)"?: permission denied|^(?:\S*\/)?(?:ba|da|z|k)?sh: (?:line \d+: |\d+: )?(?<script>\.\/[^\s:]+): Permission denied/,
    cause: (found) =>
      `The machine may not run ${word(found, 'file', 'script')}: the file lacks the right to be executed, or lies on a file system mounted noexec`,
    remedy:
      '"chmod +x" it (in an image when it is built), and look at "ls -lZ" and "findmnt -T" of its folder',
  },
  {
    id: 'says-owner-fixed',
    pattern:
      /\bch(?:own|mod|grp): (?:changing (?:ownership|permissions|group) of )?['"‘]?(?<path>[^\s:'"’]+)['"’]?: (?:Operation not permitted|Permission denied)/,
    cause: (found) =>
      `Owner and rights of ${word(found, 'path')} cannot be changed: the process is not root there (as in OpenShift by default), or its file system lets nobody (NFS with root_squash, CIFS, s3fs)`,
    remedy:
      'Leave out this step and give the volume the right owner where it comes from (fsGroup, the export, uid and gid of the mount), or use an image that runs as any user',
  },
  {
    id: 'says-library-missing',
    pattern: /error while loading shared libraries: (?<library>[^\s:]+): cannot open shared object/,
    cause: (found) => `The library ${word(found, 'library')} is not on this machine`,
    remedy: 'Install the package that brings it ("dnf provides"), or a build for this system',
  },
  {
    id: 'says-curl',
    pattern:
      /curl: \((?<code>18|22|23|28|52|77|58)\) (?<why>(?:transfer closed|The requested URL returned error: (?!40[137]|413|429|5\d\d)|Fail\w+ writing|Operation timed out|Empty reply|error setting certificate|Problem with the SSL CA cert|unable to set private key|could not load PEM)[^\n]{0,160})/,
    cause: (found) => `${CURL[word(found, 'code') ?? ''] ?? 'curl fails'} (${word(found, 'why')})`,
    remedy:
      'Ask again with -v: it shows the address, the answer and how far it came; a certificate or key must be a readable PEM file',
  },
  {
    id: 'says-authorities-unread',
    pattern:
      /error setting certificate (?:verify locations|file): +(?:CAfile: )?(?<git>[^\s,]+)|Could not find a suitable TLS CA certificate bundle, invalid path: (?<python>\S+)|Cannot open CA certificate(?:s directory)? (?<wget>\S+)/i,
    cause: (found) =>
      `The file of authorities to trust cannot be read: ${word(found, 'git', 'python', 'wget')}`,
    remedy:
      'Correct the path it is given by (http.sslCAInfo of git, REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE, --cacert), or make the file, a readable PEM file',
  },
  {
    id: 'says-tls-cut',
    pattern: /SSL_ERROR_SYSCALL in connection to (?<end>[\w.:-]+)/,
    cause: (found) =>
      `${word(found, 'end')} cut the connection while TLS was agreed: a proxy, firewall or balancer in between, or nothing that speaks TLS there`,
    remedy:
      '"openssl s_client -connect HOST:PORT" from here and from beside the server tells where it is cut',
  },
  {
    id: 'says-git-owner',
    pattern: /detected dubious ownership in repository at '(?<path>[^']+)'/,
    cause: (found) =>
      `The repository ${word(found, 'path')} belongs to another user than the one who runs git`,
    remedy: 'Give it to that user, or "git config --global --add safe.directory PATH"',
  },
  {
    id: 'says-git-behind',
    isGeneral: true,
    pattern: /Updates were rejected because|failed to push some refs to '(?<repo>[^']+)'/,
    cause: (found) =>
      `The push${because(word(found, 'repo'))} is refused: the branch there is ahead, or may not be written`,
    remedy: 'Fetch and rebase first; of a protected branch, open a merge request',
  },
  {
    id: 'says-git-protected',
    pattern: /You are not allowed to push code to (?<what>protected branches|this project)/,
    cause: (found) => `The Git server does not let this account push to ${word(found, 'what')}`,
    remedy: 'Push another branch and open a merge request, or have the right given',
  },
  {
    id: 'says-git-missing',
    pattern: /repository '(?<repo>[^']+)' not found|couldn't find remote ref (?<ref>\S+)/,
    cause: (found) =>
      word(found, 'ref') === undefined
        ? `There is no repository ${word(found, 'repo')}, or this login may not see it`
        : `The repository has no branch or tag ${word(found, 'ref')}`,
    remedy: 'Correct the name, or give a login that may read it ("git ls-remote URL")',
  },
  {
    id: 'says-terraform-init',
    pattern:
      /(?:provider (?<provider>[\w./-]+): )?required by this configuration but no version is selected|Backend initialization required|Plugin reinitialization required|Inconsistent dependency lock file|doesn't match any of the checksums previously recorded/,
    cause: (found) =>
      `The directory of Terraform is not initialised for what its files ask${because(word(found, 'provider'))}, or its lock file is of other providers`,
    remedy: TERRAFORM_INIT,
  },
  {
    id: 'says-terraform-input',
    pattern:
      /An argument named "(?<argument>[^"]+)" is not expected here|input variable with the name "(?<undeclared>[^"]+)" has not been declared|module input variable "(?<unset>[^"]+)" is not set/,
    cause: (found) =>
      word(found, 'argument') !== undefined
        ? `Terraform does not know the argument ${word(found, 'argument')} there: it is misspelt, or of another version of the provider`
        : `The variable ${word(found, 'undeclared', 'unset')} of Terraform is ${word(found, 'unset') === undefined ? 'used and not declared' : 'not given'}`,
    remedy: 'Correct the files that it names, or give the variable (-var, terraform.tfvars)',
  },
  {
    // Only the parser of versions before 0.12 says so.
    id: 'says-terraform-old',
    pattern:
      /Error parsing (?<file>\S+\.tf): At \d+:\d+: (?<why>Unknown token: .{3,60}|root\.\S+ .{3,80})/,
    cause: (found) =>
      `This Terraform is too old (before 0.12) for ${word(found, 'file')}, or a line there is not valid: ${word(found, 'why')}`,
    remedy:
      'Compare "terraform version" with what the files ask for (required_version, expressions without quotes are of 0.12 and later), and use that version',
  },
  {
    id: 'says-terraform-version',
    pattern: /does not support Terraform version (?<version>[\d.]+\d)/,
    cause: (found) =>
      `These files are for another version of Terraform than ${word(found, 'version')}`,
    remedy: 'Use a version that required_version allows',
  },
  {
    id: 'says-guest-system',
    pattern:
      /Unknown OS name '(?<os>[^']+)'|--os-variant\/--osinfo OS name is required|Error validating .{0,20}os.variant.{0,40}'(?<old>[^']+)'/,
    cause: (found) =>
      `virt-install knows no system${named(word(found, 'os', 'old'))} by the list of this host (osinfo-db), or was told none`,
    remedy:
      'Take one that "virt-install --osinfo list" shows (rhel9.0 or rhel8.0 does for RHCOS, it only chooses virtual devices), give "--osinfo detect=on,require=off", or update osinfo-db',
  },
  {
    id: 'says-install-tree',
    pattern:
      /Could not find an installable distribution at '(?<where>[^']+)'|Couldn't find (?:kernel|hvm kernel|initrd) for install tree/,
    cause: (found) =>
      `virt-install finds no install tree${because(word(found, 'where'))}: --location wants the root of one, with its kernel and initrd, and not the address of an ISO`,
    remedy:
      'Bring the ISO to the host and give it with --cdrom (or --location FILE,kernel=…,initrd=…), or name the root of an install tree',
  },
  {
    id: 'says-virtualbox-network',
    pattern:
      /Failed to attach the network LUN \((?<code>VERR_\w+)\)|(?<missing>VERR_INTNET_FLT_IF_NOT_FOUND|VERR_VM_DRIVER_NOT_INSTALLED)|Failed to open\/create the internal network '(?<network>[^']+)'|Failed to create the host-only (?:adapter|interface)/,
    cause: (found) =>
      `VirtualBox cannot connect a network card of the virtual machine${because(word(found, 'network', 'code', 'missing'))}: the host-only network it is to use, or the driver of VirtualBox for it, is missing or not loaded on this host`,
    remedy:
      'Look at "VBoxManage list hostonlyifs"; remove and make the host-only network anew, or install VirtualBox again with its network drivers, and start the host again',
  },
  {
    id: 'says-patch-unfit',
    pattern:
      /\b(?<failed>\d+) out of (?<all>\d+) hunks? FAILED(?: -- saving rejects to (?:file )?(?<file>\S+?)(?:\.rej)?(?:\\n|"|\s|$))?|error: patch failed: (?<git>[^\s:]+)/,
    cause: (found) =>
      `A patch does not fit the file that it is for${named(word(found, 'file', 'git'))}${because(word(found, 'failed') && `${found.groups.failed} of ${found.groups.all} parts of it`)}: that file is another version, or was changed before`,
    remedy:
      'Compare the file with what the patch expects: take the version that it was made for (image, release, playbook), or make the change by hand',
  },
  {
    id: 'says-check-unpassed',
    pattern:
      /^\W*Checking (?:if |that |whether )?(?<what>\S.{4,120}?) ?\.{2,} ?\[?FAIL(?:ED)?\b:?(?<why>.{0,200})/,
    cause: (found) =>
      `A check before the work does not pass: ${word(found, 'what')}${because(word(found, 'why'))}`,
    remedy: 'Bring about what it checks, and run the command again',
  },
  {
    id: 'says-gather-late',
    isGeneral: true,
    pattern:
      /gather (?:did not|never) (?:finish|start)(?:ed)?(?: for pod (?<pod>[\w.-]+))?: (?<why>.{4,120})/,
    cause: (found) =>
      `must-gather did not begin or end in its time${because(word(found, 'pod'))}: ${word(found, 'why')}`,
    remedy:
      'Look at the pods it made ("oc get pods -A -o wide | grep must-gather") and at the nodes they wait for: one that is not ready keeps it; else give more time (--timeout)',
  },
  {
    id: 'says-account-capability',
    pattern: /'(?<capability>\w+)' capability is not set for this account/,
    cause: (found) =>
      `The account at Red Hat is not enabled for this (capability ${word(found, 'capability')})`,
    remedy:
      'Enable the service for the account (for ROSA in the AWS console, then link the accounts), and log in with that one ("rosa whoami")',
  },
  {
    id: 'says-packer-waited',
    pattern:
      /(?:Build '(?<build>[^']+)' errored[^:]{0,60}: |^==> (?<name>[^:]{2,60}): )Timeout waiting for (?<what>SSH|WinRM|IP)\b/,
    cause: (found) =>
      `Packer waited in vain for ${word(found, 'what')} of the machine that it builds (${word(found, 'build', 'name')}): the installation in it has not come to its end, it has no address, or does not take the login`,
    remedy:
      'Look at the screen of the machine while it builds: often it does not get its answers (kickstart, preseed, Ignition) from the HTTP server of Packer, which a firewall hides; then at ssh_username, ssh_timeout and the guest agent',
  },
  {
    // An argument that the provider no longer has, and the syntax of another age.
    id: 'says-terraform-removed',
    pattern:
      /(?:(?<where>[\w.[\]-]+): )?"(?<argument>[\w.]+)": \[REMOVED\] (?<why>.{5,160})|(?<quoted>Argument names must not be quoted)/,
    cause: (found) =>
      word(found, 'quoted') === undefined
        ? `The provider of Terraform no longer knows the argument ${word(found, 'argument')}${because(word(found, 'where'))}: ${word(found, 'why')}`
        : 'The files are written for a Terraform before 0.12: this one takes no names in quotes',
    remedy:
      'Use the versions of Terraform and its providers that the files were written for, or change the files for the newer ones',
  },
  {
    id: 'says-terraform-provider-fault',
    pattern:
      /(?<what>Provider produced (?:null object|(?:inconsistent|invalid) [\w ]{3,40}|unexpected new value))|Provider \S+ produced an? (?:null|unexpected|invalid)[\w ]{0,40} (?:for|of) (?<resource>[\w.[\]"-]+)|(?:Request cancelled|Plugin did not respond): .{0,20}[Tt]he plugin6?\S* (?<call>\S+) request/,
    cause: (found) =>
      `A provider of Terraform fails by a fault of its own${because(word(found, 'what', 'resource', 'call'))}: what it read or made is not as it had announced`,
    remedy:
      'Look whether what it read exists (a data source of a thing that is not there often ends so), run it again, and try the newest version of the provider',
  },
  {
    id: 'says-terraform-cycle',
    pattern: /Error: Cycle: (?<what>.{5,200})/,
    cause: (found) => `Resources of Terraform need each other in a circle: ${word(found, 'what')}`,
    remedy: 'Break the circle in the files, such as by a rule of its own beside the group',
  },
  {
    id: 'says-issuer-missing',
    pattern: /Referenced "(?<kind>\w*Issuer)" not found: .{0,60}"(?<name>[^"]+)" not found/,
    cause: (found) => `cert-manager finds no ${word(found, 'kind')} ${word(found, 'name')}`,
    remedy:
      'Make it, or correct issuerRef of the certificate; an Issuer counts in its own namespace only',
  },
];

/** What the numbers of curl mean. */
const CURL: Readonly<Record<string, string>> = {
  18: 'The transfer was cut off before its end',
  22: 'The server answers with an error',
  23: 'What is fetched cannot be written: no room, no right, or the program behind the pipe ended',
  28: 'The other end does not answer in time',
  52: 'The other end takes the connection and answers nothing',
  58: 'The client certificate or its key cannot be used',
  77: 'The file of authorities that curl is to trust cannot be read: it is not at that path, this user may not read it, or it holds no certificate',
};
