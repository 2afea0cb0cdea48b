import type { CountedTopic } from '../topics/topics.service.js';

/** A topic of projects. */
export class V4TopicView {
  id!: number;
  name!: string;
  /** The same as the name. */
  title!: string;
  /** Always null. */
  description!: string | null;
  /** Internal and public projects that have it; for administrators all, for external users the public ones. */
  total_projects_count!: number;
  /** Always null. */
  avatar_url!: string | null;
}

export const presentV4Topic = ({ topic: { id, name }, projects }: CountedTopic): V4TopicView => ({
  id,
  name,
  title: name,
  description: null,
  total_projects_count: projects,
  avatar_url: null,
});
