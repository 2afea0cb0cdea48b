import { ProjectMeasurement } from './project-measurement.js';
import { ProjectSizesRepository } from './project-sizes.repository.js';
import { SettleReservations } from './settle-reservations.js';
import { StorageQuota } from './storage-quota.js';

export const QUOTA_PROVIDERS = [
  ProjectMeasurement,
  ProjectSizesRepository,
  SettleReservations,
  StorageQuota,
];
