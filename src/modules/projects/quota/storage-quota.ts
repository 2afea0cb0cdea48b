import { Injectable, Logger } from '@nestjs/common';
import { Semaphore } from 'async-mutex';
import type { Admission } from '../../../git/index.js';
import { Config } from '../../../platform/config/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { DomainError, notFound, storageLimitReached } from '../../../platform/errors/index.js';
import type { StoredProject } from '../project-storage.js';
import { ProjectMeasurement } from './project-measurement.js';
import { ProjectSizesRepository } from './project-sizes.repository.js';
import type { StoragePart } from './storage-reservation.entity.js';

/** Bytes that a project is about to take; null where nothing has to be reserved. */
export type Reservation = { readonly id: string } | null;

/**
 * Keeps projects within `PROJECT_MAX_BYTES`: whoever stores files in one reserves their bytes first. Without
 * the limit nothing is measured and no statement is made. Every statement commits by itself, also within a
 * unit of work, which then needs a second connection for a moment.
 */
@Injectable()
export class StorageQuota {
  private readonly logger = new Logger(StorageQuota.name);
  private readonly limit: number;
  private readonly units: Semaphore;

  constructor(
    private readonly sizes: ProjectSizesRepository,
    private readonly measurement: ProjectMeasurement,
    private readonly work: UnitOfWork,
    config: Config,
  ) {
    this.limit = config.projectMaxBytes;
    this.units = new Semaphore(Math.max(1, Math.floor(config.database.poolSize / 3)));
  }

  get isLimited(): boolean {
    return this.limit !== Infinity;
  }

  /**
   * Reserves room. A reservation that is neither completed nor abandoned expires after 15 minutes.
   * @throws DomainError storage limit; not found for a project that is deleted
   */
  async reserve(project: StoredProject, part: StoragePart, bytes: number): Promise<Reservation> {
    if (!this.isLimited || bytes === 0) return null;
    return this.work.detached(async () => {
      const reserve = () => this.sizes.reserve(project.id, part, bytes, this.limit);
      let id = await reserve();
      if (id === null) {
        await this.begin(project);
        id = await reserve();
      }
      if (id === null) throw await this.refusal(project, bytes);
      return { id };
    });
  }

  /** Counts what was reserved as stored. Never fails: a reservation that stays is settled when it expires. */
  async complete(reservation: Reservation): Promise<void> {
    if (reservation === null) return;
    await this.settle(() => this.sizes.complete(reservation.id));
  }

  /** Gives a reservation back when it is not known what was stored: a job measures the project. Never fails. */
  async abandon(reservation: Reservation): Promise<void> {
    if (reservation === null) return;
    await this.settle(() => this.sizes.abandon(reservation.id));
  }

  /**
   * Stores something of a known size.
   * @throws DomainError storage limit, before anything is stored; whatever `store` throws
   */
  async store<T>(
    project: StoredProject,
    part: StoragePart,
    bytes: number,
    store: () => Promise<T>,
  ): Promise<T> {
    const reservation = await this.reserve(project, part, bytes);
    try {
      const result = await store();
      await this.complete(reservation);
      return result;
    } catch (error) {
      await this.abandon(reservation);
      throw error;
    }
  }

  /** Lets git add objects to a project's repository. */
  admission(project: StoredProject): Admission | undefined {
    if (!this.isLimited) return undefined;
    return (bytes, store) => this.store(project, 'repository', bytes, store);
  }

  /** Lets git fill an empty repository, to which nobody else writes meanwhile. Can be killed and repeated. */
  filling(project: StoredProject): Admission | undefined {
    if (!this.isLimited) return undefined;
    return (bytes, store) => this.fill(project, bytes, store);
  }

  private async fill(
    project: StoredProject,
    bytes: number,
    store: () => Promise<void>,
  ): Promise<void> {
    await this.begin(project);
    const hasRoom = await this.sizes.setRepository(project.id, bytes, this.limit);
    if (!hasRoom) throw await this.refusal(project, bytes);
    try {
      await store();
    } catch (error) {
      await this.measurement.correct(project, ['repository']);
      throw error;
    }
  }

  /** Runs a unit of work that stores files, when few others do: each needs a second connection. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const unit = (): Promise<T> => this.work.run(work);
    return this.isLimited ? this.units.runExclusive(unit) : unit();
  }

  /** Measures a project that has not been counted yet. */
  private async begin(project: StoredProject): Promise<void> {
    if ((await this.sizes.used(project.id)) !== null) return;
    await this.sizes.insert(project.id, await this.measurement.measure(project));
  }

  private async refusal({ id }: StoredProject, bytes: number): Promise<DomainError> {
    const used = await this.sizes.used(id);
    if (used === null) return notFound('Project');
    const [has, adds] = [byteCount(used), byteCount(bytes)];
    return storageLimitReached(
      `The project would exceed its size limit of ${byteCount(this.limit)}: it has ${has}, and ${adds} would be added.`,
    );
  }

  private async settle(statement: () => Promise<void>): Promise<void> {
    try {
      await this.work.detached(statement);
    } catch (error) {
      this.logger.warn('A reservation of storage is left to expire', error);
    }
  }
}

function byteCount(bytes: number): string {
  return `${bytes.toLocaleString('en-US')} bytes`;
}

/** Whether something was refused because the project has no room for it. */
export function isStorageLimit(
  error: unknown,
): error is DomainError & { detail: { code: 'storage-limit'; text: string } } {
  return error instanceof DomainError && error.detail.code === 'storage-limit';
}
