export { sendJson } from './answers/send-json.js';
export { Serialized } from './answers/serialized.js';
export { EmptyWhenAbsent, FixedStatus, type StatusProfile } from './answers/status.js';
export { API_PREFIX } from './conventions.js';
export * from './parameters/index.js';
export { type BasicCredential, parseBasic } from './request/basic-credential.js';
export { TakesBody } from './request/body/body-limits.js';
export { BodyGuard } from './request/body/body.guard.js';
export { type BodyOptions, RequestBodies } from './request/body/body.js';
export { clientAddress } from './request/client-address.js';
export { ByteLimit } from './request/body/byte-limit.js';
export { type Credential, readCredential } from './request/credential.js';
export { type FilePart, type FileReceiver, ReceivedFile } from './request/body/file-parts.js';
export { rawParameters, type RawParameters } from './request/request-parameters.js';
export {
  type AnswerOptions,
  Answers,
  AnswersFile,
  AnswersList,
  AnswersNothing,
  MayAnswer,
} from './openapi/answers.js';
export { buildOpenApiDocument } from './openapi/document.js';
export { configureHttp, type HttpOptions } from './configure-http.js';
export { type DrainResult, HttpDrain } from './server/drain.js';
export { holdSlot } from './server/request-slots.js';
export { HttpAdapter } from './server/http-adapter.js';
