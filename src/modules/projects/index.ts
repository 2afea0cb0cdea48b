export { ProjectMember } from './project-member.entity.js';
export { ProjectStorage } from './project-storage.js';
export { Project } from './project.entity.js';
export { ProjectsModule } from './projects.module.js';
export { ProjectsService } from './projects.service.js';
