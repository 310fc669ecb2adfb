import { because, type PlainReading, word } from '../plain-reading.ts';
import { type Meanings, meant } from './meanings.ts';

const LVM: Meanings = [
  [/duplicates/, 'the same physical volume is seen on several paths or as a copy of a disk'],
  [/already been used|already exists/, 'that name is taken on this machine'],
  [/in use|active/, 'it is mounted, opened by a program, or part of another device'],
  [/system ID/, 'the volume group belongs to another machine'],
  [/threshold/, 'the thin pool has no room left'],
  [/Manual repair/, 'the metadata of the thin pool is damaged'],
  [/checksum/, 'what describes the volumes on that disk is damaged'],
];

const FILE_SYSTEM: Meanings = [
  [/features/, 'it was made by a newer system, with features that this kernel does not have'],
  [/Can't find|bad magic/i, 'there is none of that kind on it, or its beginning is damaged'],
  [/geometry/, 'it is larger than its device, which was made smaller or not read whole'],
  [
    /INCONSISTENCY|log recovery|Log inconsistent|superblock/,
    'it is damaged, or the disk below it fails',
  ],
  [/needs to be replayed/, 'it was not unmounted cleanly'],
];

/** What volumes and file systems say when they are made, mounted or opened. */
export const VOLUME_READINGS: readonly PlainReading[] = [
  {
    id: 'says-volume-refused',
    pattern:
      /^\s*(?:lvm: )?(?<why>Cannot use device \/dev\/\S+ with duplicates|Volume group name "[^"]+" has already been used|Logical [Vv]olume "?\S+"? (?:already exists in volume group \S+|(?:contains a filesystem )?in use)|Can't remove active logical volume \S+|Cannot access VG \S+ with system ID \S+|Cannot create new thin volume, free space in thin pool \S+ reached threshold|Check of pool \S+ failed \(status:\d+\)\. Manual repair required|Incorrect metadata area header checksum on \S+)/,
    cause: (found) => `LVM does not do it (${word(found, 'why')}): ${meant(found.groups.why, LVM)}`,
    remedy:
      '"lsblk", "pvs -a" and "vgs -o +systemid" show what is there and who uses it; of several paths use the multipath device, of a copied disk "vgimportclone"; unmount before removing; "lvextend" a full pool, "lvconvert --repair" a damaged one',
  },
  {
    id: 'says-mount-place',
    pattern:
      /u?mount(?:\.\w+)?: (?:(?<at>\/[^\s:]*): )?(?<why>mount point (?<point>\/\S+ )?does not exist|(?<device>\/dev\/\S+) already mounted or mount point busy|not mounted|can't read superblock on (?<disk>\/dev\/[^\s.]+)|remote share not in 'host:dir' format|fsconfig system call failed: (?<source>\S+): Can't open blockdev)/,
    cause: (found) => {
      const why = word(found, 'why') ?? '';
      if (word(found, 'disk') !== undefined)
        return `${word(found, 'disk')} cannot be mounted: its file system is damaged, or the disk cannot be read`;
      return `It cannot be mounted or unmounted${because(word(found, 'at', 'point'))}: ${why}`;
    },
    remedy:
      '"findmnt", "lsblk -f" and "fuser -vm PATH" show what is mounted where and who uses it; make the directory first, and write a share as HOST:/PATH',
  },
  {
    id: 'says-file-system-refused',
    pattern:
      /(?:XFS|EXT4-fs) \((?<device>[\w-]+)\): (?<why>Superblock has unknown (?:read-only )?(?:in)?compatible features .{3,40}|couldn't mount (?:RDWR )?because of unsupported optional features .{3,40}|VFS: Can't find ext4 filesystem|bad geometry: .{4,100}|log recovery write I\/O error .{3,60}|Log inconsistent .{3,60}|log mount\/recovery failed: error .{1,20})|(?<checked>\/dev\/[^\s:]+): (?<said>UNEXPECTED INCONSISTENCY; RUN fsck MANUALLY)|(?<replay>The filesystem has valuable metadata changes in a log which needs to be replayed)|xfs_repair: (?<superblock>couldn't verify primary superblock)/,
    cause: (found) => {
      const why = word(found, 'why', 'said', 'replay', 'superblock') ?? '';
      return `The file system${because(word(found, 'device', 'checked'))} is not used as it is: ${meant(why, FILE_SYSTEM)} (${why})`;
    },
    remedy:
      'Look at the disk first ("dmesg", "smartctl -a DISK"). Of newer features: mount it on a system as new as the one that made it. Of damage: mount once to replay the log, then check it unmounted ("xfs_repair", "fsck -f"), from a live image where it is the root',
  },
  {
    id: 'says-disk-unlocked-not',
    pattern:
      /Failed to activate with specified passphrase|Keyslot open failed\.|(?<memory>Not enough available memory to open a keyslot)|(?<tpm>Unsealing jwk from TPM failed|Failed to unseal secret using TPM2)|(?<tang>Error communicating with (?:the )?server) (?<url>https?:\/\/\S+)|Error unlocking (?<clevis>\/dev\/\S+) with clevis/,
    cause: (found) => {
      if (word(found, 'memory') !== undefined)
        return 'The encrypted disk is not opened: the machine has less memory than its key asks for (PBKDF)';
      if (word(found, 'tpm') !== undefined)
        return 'The TPM does not give the key of the encrypted disk out: what it is bound to has changed (firmware, Secure Boot, boot order), or the TPM was cleared';
      return word(found, 'url') === undefined
        ? `The encrypted disk${because(word(found, 'clevis'))} is not opened: no key or passphrase that was tried fits`
        : `The Tang server ${word(found, 'url')} does not answer, so the encrypted disk is not opened`;
    },
    remedy:
      '"cryptsetup luksDump DISK" and "clevis luks list -d DISK" show which keys there are; open it with the passphrase and bind it anew ("clevis luks regen" or "unbind" and "bind"); look whether the Tang server is reached ("curl URL/adv")',
  },
];
