/** The ref of the target project that the head of a merge request can be fetched by. */
export const headRef = (iid: number): string => `refs/merge-requests/${String(iid)}/head`;

/** The ref of the target project that a merge of its two branches can be fetched by. */
export const mergeRef = (iid: number): string => `refs/merge-requests/${String(iid)}/merge`;
