import { AttemptRecorder } from './attempt-recorder.js';
import { DeliverHook } from './deliver-hook.js';
import { DeliverHookLater } from './deliver-hook-later.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DeliveryCounting } from './delivery-counts.js';
import { Delivering } from './delivering.js';
import { HookHealthRepository } from './hook-health.repository.js';
import { HttpSender } from './http-sender.js';
import { RetryPlan } from './retry-plan.js';
import { SealHookPasswords } from './seal-hook-passwords.js';
import { TrimDeliveries } from './trim-deliveries.js';

/** What carries deliveries to their receivers. */
export const DELIVERY_PROVIDERS = [
  AttemptRecorder,
  DeliverHook,
  DeliverHookLater,
  DeliveriesRepository,
  Delivering,
  DeliveryCounting,
  HookHealthRepository,
  HttpSender,
  RetryPlan,
  SealHookPasswords,
  TrimDeliveries,
];
