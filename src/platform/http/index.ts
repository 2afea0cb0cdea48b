export { sendJson } from './answers/send-json.js';
export { AnswerWithStatus, Serialized, VersionedAnswer } from './answers/send-answer.js';
export { sendDownload } from './answers/send-download.js';
export { endIfKnown, validatorOf } from './answers/validators.js';
export { ContainsSecret, EmptyWhenAbsent, FixedStatus } from './answers/answer.guard.js';
export { pageHeaders } from './answers/page-headers.js';
export {
  ApiFace,
  OperationOf,
  operationIdOf,
  type StatusProfile,
  type SuccessStatus,
  SUFFIX,
} from './face/api-face.js';
export { faceOf } from './face/request-face.js';
export { HELP_PREFIX, PAGES_PREFIX } from './page-paths.js';
export type { ParametersClass } from './parameters/declaration.js';
export {
  IdListParam,
  IntegerListParam,
  ObjectListParam,
  ObjectParam,
  StringListParam,
} from './parameters/list-params.js';
export { PageNumberParam, PageQuery } from './parameters/page-query.js';
export { ParametersGuard, PathIds } from './parameters/parameters.guard.js';
export { type Reference, reference, restOfPath } from './parameters/reference.js';
export { AllOrNoneOf, AtLeastOneOf, ExactlyOneOf, GivenWith } from './parameters/rules.js';
export {
  BooleanParam,
  DateParam,
  EnumParam,
  FileParam,
  IdParam,
  IntegerParam,
  NumberParam,
  StringParam,
  TimestampParam,
} from './parameters/scalar-params.js';
export { readParameters as validateParameters } from './parameters/validate-parameters.js';
export { timestampFormat } from './parameters/conversions.js';
export { bearerToken, parseBasic, readCredential } from './request/credential.js';
export { BodyGuard, TakesBody } from './request/body/body.guard.js';
export { RequestBodies } from './request/body/body.js';
export { clientAddress } from './request/client-address.js';
export { disconnection } from './request/disconnection.js';
export { prefersHtml } from './request/prefers-html.js';
export { ByteLimit } from './request/body/body-bytes.js';
export { type FilePart, type FileReceiver, ReceivedFile } from './request/body/file-parts.js';
export { queryOf } from './request/query-of.js';
export { UnlessModified } from './request/unless-modified.js';
export { rawParameters } from './request/request-parameters.js';
export {
  AlsoAnswers,
  Answers,
  AnswersAll,
  AnswersFile,
  AnswersList,
  AnswersNoItems,
  AnswersNothing,
  MayAnswer,
} from './openapi/answers.js';
export {
  ApiConsumes,
  ApiExcludeController,
  ApiOperation,
  ApiProperty,
} from './openapi/decorators.js';
export { buildOpenApiDocument } from './openapi/document.js';
export { configureHttp, type HttpOptions } from './configure-http.js';
export { AnswerTable, RefusalAnswers } from './errors/refusal-answers.js';
export {
  type ErrorAnswer,
  provideAnswers,
  provideOtherAnswers,
  withError,
  withMessage,
} from './errors/room-answers.js';
export { HttpDrain } from './server/drain.js';
export { replicaReads } from './server/replica-reads.js';
export { checkedAccess, holdCheckedSlot, holdSlot } from './server/request-slots.js';
export { HttpAdapter } from './server/http-adapter.js';
