export { ReleaseLink } from './links/release-link.entity.js';
export { ReleaseLinksRepository } from './links/release-links.repository.js';
export { ReleaseLinksService } from './links/release-links.service.js';
export { ReleaseMilestone } from './model/release-milestone.entity.js';
export { nameForGuests, nameOf } from './model/release-names.js';
export { ReleasesModule } from './releases.module.js';
export { type DescribedRelease, ReleasesService } from './releases.service.js';
