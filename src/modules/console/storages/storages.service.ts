import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import {
  type DiskReport,
  DiskProbe,
  type DiskSilence,
} from '../../../platform/monitoring/index.js';
import { ProjectSizesRepository, type StorageUsage } from '../../storage/index.js';

/** A storage of repositories, or the data folder. */
export interface StorageState {
  readonly name: string;
  readonly path: string;
  readonly disk: DiskReport | DiskSilence;
  /** Null for the data folder, and for a storage without repositories. */
  readonly usage: StorageUsage | null;
}

/** The share of free room below which a file system is called nearly full. */
const LOW = 0.1;

/** Whether a file system does not answer or is nearly full. */
export const needsAttention = ({ disk }: StorageState): boolean =>
  typeof disk === 'string' || disk.freeBytes < disk.totalBytes * LOW;

/** Reads what room storages have, and what lies in them. */
@Injectable()
export class ConsoleStoragesService {
  constructor(
    private readonly config: Config,
    private readonly disks: DiskProbe,
    private readonly sizes: ProjectSizesRepository,
  ) {}

  /** The data folder, which holds uploads and the embedded database, and the configured storages. */
  async list(): Promise<StorageState[]> {
    const { dataDir, storages } = this.config;
    const folders: (readonly [name: string, path: string])[] = [
      ['data folder', dataDir],
      ...storages,
    ];
    const [disks, usage] = await Promise.all([
      this.disks.probe(folders.map(([, path]) => path)),
      this.sizes.usageByStorage(),
    ]);
    return folders.map(([name, path], index) => ({
      name,
      path,
      disk: disks[index] ?? 'slow',
      usage: (index > 0 && usage.find(({ storage }) => storage === name)) || null,
    }));
  }
}
