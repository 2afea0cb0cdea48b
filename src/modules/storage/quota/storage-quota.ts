import { Injectable, Logger } from '@nestjs/common';
import { Semaphore } from 'async-mutex';
import type { Admission } from '../../../git/index.js';
import { Config } from '../../../platform/config/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { type DetailOf, DomainError, notFound } from '../../../platform/errors/index.js';
import { exceededBudgets } from '../../../platform/metrics/index.js';
import type { StoredProject } from '../repositories/project-storage.js';
import { ProjectMeasurement } from './project-measurement.js';
import { ProjectSizesRepository } from './project-sizes.repository.js';
import type { StoragePart } from './project-size.entity.js';

/** Bytes that are about to be stored; null when none had to be reserved. */
export type Reservation = { readonly id: string } | null;

/**
 * Keeps projects within `PROJECT_MAX_BYTES`: writers reserve bytes before they store files
 * (docs/decisions/0034-storage-quota.md). Without the limit nothing is measured and no statement runs. Every
 * statement commits by itself, also within a unit of work, which then briefly needs a second connection.
 */
@Injectable()
export class StorageQuota {
  private readonly logger = new Logger(StorageQuota.name);
  private readonly units: Semaphore;

  constructor(
    private readonly sizes: ProjectSizesRepository,
    private readonly measurement: ProjectMeasurement,
    private readonly work: UnitOfWork,
    private readonly config: Config,
  ) {
    this.units = new Semaphore(Math.max(1, Math.floor(config.database.poolSize / 3)));
  }

  private get limit(): number {
    return this.config.projectMaxBytes;
  }

  get isLimited(): boolean {
    return this.limit !== Infinity;
  }

  /**
   * Reserves bytes. A reservation that is neither completed nor abandoned expires after 15 minutes.
   * @throws DomainError storage limit; not found for a project that is deleted
   */
  async reserve(project: StoredProject, part: StoragePart, bytes: number): Promise<Reservation> {
    if (!this.isLimited || bytes === 0) return null;
    return this.work.detached(async () => {
      const reserve = () => this.sizes.reserve(project.id, part, bytes, this.limit);
      let id = await reserve();
      if (id === null) {
        await this.measureOnce(project);
        id = await reserve();
      }
      if (id === null) throw await this.refusal(project, bytes);
      return { id };
    });
  }

  /** Counts reserved bytes as stored. Never fails: a reservation that remains is settled when it expires. */
  async complete(reservation: Reservation): Promise<void> {
    if (reservation === null) return;
    await this.settle(() => this.sizes.complete(reservation.id));
  }

  /** Expires a reservation after a failure; a job measures what was stored. Never fails. */
  async abandon(reservation: Reservation): Promise<void> {
    if (reservation === null) return;
    await this.settle(() => this.sizes.abandon(reservation.id));
  }

  /**
   * Stores files of a known size.
   * @throws DomainError storage limit, before anything is stored; the errors of `store`
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

  /** Returns the check that git runs before it adds objects to a project's repository. */
  admission(project: StoredProject): Admission | undefined {
    if (!this.isLimited) return undefined;
    return (bytes, store) => this.store(project, 'repository', bytes, store);
  }

  /** Returns the check for filling an empty repository, which has no other writer. Can be killed and repeated. */
  filling(project: StoredProject): Admission | undefined {
    if (!this.isLimited) return undefined;
    return (bytes, store) => this.fill(project, bytes, store);
  }

  private async fill(
    project: StoredProject,
    bytes: number,
    store: () => Promise<void>,
  ): Promise<void> {
    await this.measureOnce(project);
    const hasRoom = await this.sizes.setRepository(project.id, bytes, this.limit);
    if (!hasRoom) throw await this.refusal(project, bytes);
    try {
      await store();
    } catch (error) {
      await this.measurement.correct(project, ['repository']);
      throw error;
    }
  }

  /** Runs a unit of work that stores files. Few run at once, since each needs a second connection. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const unit = (): Promise<T> => this.work.run(work);
    return this.isLimited ? this.units.runExclusive(unit) : unit();
  }

  /** Records the size of a project that has none recorded. */
  private async measureOnce(project: StoredProject): Promise<void> {
    if ((await this.sizes.used(project.id)) !== null) return;
    await this.sizes.insert(project.id, await this.measurement.measure(project));
  }

  private async refusal({ id }: StoredProject, bytes: number): Promise<DomainError> {
    const used = await this.sizes.used(id);
    if (used === null) return notFound('project');
    exceededBudgets.inc({ budget: 'project_bytes' });
    const sizes = { limit: this.limit, used, added: bytes };
    return new DomainError({ code: 'storage-limit', sizes });
  }

  private async settle(statement: () => Promise<void>): Promise<void> {
    try {
      await this.work.detached(statement);
    } catch (error) {
      this.logger.warn('A storage reservation could not be settled and will expire', error);
    }
  }
}

/** Whether an error is a refusal by `StorageQuota`. */
export function isStorageLimit(
  error: unknown,
): error is DomainError & { detail: DetailOf<'storage-limit'> } {
  return error instanceof DomainError && error.detail.code === 'storage-limit';
}
