import { Get } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { Answers } from '../../../platform/http/index.js';
import { Requires } from '../../authorization/index.js';
import { StatisticsRepository } from '../statistics.repository.js';
import { presentStatistics, V4InstanceStatisticsView } from './statistics.view.js';

@V4Controller('application/statistics', 'Statistics')
export class V4StatisticsController {
  constructor(private readonly statistics: StatisticsRepository) {}

  /** How much the instance has, for administrators; numbers above 10,000 are estimates. */
  @Get()
  @Requires('settings:administer')
  @Answers(V4InstanceStatisticsView)
  async read(): Promise<V4InstanceStatisticsView> {
    return presentStatistics(await this.statistics.count());
  }
}
