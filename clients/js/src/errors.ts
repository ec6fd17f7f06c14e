// What goes wrong, as classes. `code` is the protocol's word (docs/protocol.md#errors), `message` a sentence with the wrong value.

export type ErrorCode =
  | 'argument'
  | 'memory'
  | 'limit'
  | 'format'
  | 'truncated'
  | 'version'
  | 'not_found'
  | 'exists'
  | 'state'
  | 'cancelled'
  | 'again'
  | 'closed'
  | 'io'
  | 'timeout'
  | 'internal'
  | 'unauthenticated'
  | 'forbidden'
  | 'untrusted'
  | 'crashed';

export interface ErrorDetails {
  /** Path of the wrong value, such as `ops[3].transform`. */
  key?: string;
  /** `world.edit`: index of the wrong operation. */
  op?: number;
  cause?: unknown;
}

/** What navd answers, or what went wrong on the way to it. */
export class NavdError extends Error {
  readonly key: string | undefined;
  readonly op: number | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    details: ErrorDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.key = details.key;
    this.op = details.op;
  }
}

type Details = ErrorDetails;

/** A value is missing, of the wrong type or out of range. */
export class ArgumentError extends NavdError {
  constructor(message: string, details?: Details) {
    super('argument', message, details);
  }
}

/** The system has no memory left. */
export class MemoryError extends NavdError {
  constructor(message: string, details?: Details) {
    super('memory', message, details);
  }
}

/** A configured limit was reached; the message names it. */
export class LimitError extends NavdError {
  constructor(message: string, details?: Details) {
    super('limit', message, details);
  }
}

/** Bytes do not have the required format. */
export class FormatError extends NavdError {
  constructor(message: string, details?: Details) {
    super('format', message, details);
  }
}

/** Bytes end too early. */
export class TruncatedError extends NavdError {
  constructor(message: string, details?: Details) {
    super('truncated', message, details);
  }
}

/** The daemon speaks another version of the protocol. */
export class VersionError extends NavdError {
  constructor(message: string, details?: Details) {
    super('version', message, details);
  }
}

/** No such method, world, profile, mesh, object or subscription. */
export class NotFoundError extends NavdError {
  constructor(message: string, details?: Details) {
    super('not_found', message, details);
  }
}

/** The profile exists with other settings; the instance belongs to another source. */
export class ExistsError extends NavdError {
  constructor(message: string, details?: Details) {
    super('exists', message, details);
  }
}

/** The call is not allowed now, or the world has another revision. */
export class StateError extends NavdError {
  constructor(message: string, details?: Details) {
    super('state', message, details);
  }
}

/** The work was cancelled. */
export class CancelledError extends NavdError {
  constructor(message: string, details?: Details) {
    super('cancelled', message, details);
  }
}

/** Not ready yet: repeat the call later. */
export class AgainError extends NavdError {
  constructor(message: string, details?: Details) {
    super('again', message, details);
  }
}

/** The connection is closed, or broke before the answer came: the call may have taken effect. */
export class ClosedError extends NavdError {
  constructor(message: string, details?: Details) {
    super('closed', message, details);
  }
}

/** The operating system reported an error, here or in the daemon. */
export class IoError extends NavdError {
  constructor(message: string, details?: Details) {
    super('io', message, details);
  }
}

/** The time limit has passed. */
export class TimeoutError extends NavdError {
  constructor(message: string, details?: Details) {
    super('timeout', message, details);
  }
}

/** A defect in navd, or a code that this client does not know. */
export class InternalError extends NavdError {
  constructor(message: string, details?: Details) {
    super('internal', message, details);
  }
}

/** The token is missing or not valid. */
export class UnauthenticatedError extends NavdError {
  constructor(message: string, details?: Details) {
    super('unauthenticated', message, details);
  }
}

/** The session's role does not allow the call. */
export class ForbiddenError extends NavdError {
  constructor(message: string, details?: Details) {
    super('forbidden', message, details);
  }
}

/** TLS: the daemon's certificate is missing or not trusted. */
export class UntrustedError extends NavdError {
  constructor(message: string, details?: Details) {
    super('untrusted', message, details);
  }
}

/** The generator crashed twice on this input. */
export class CrashedError extends NavdError {
  constructor(message: string, details?: Details) {
    super('crashed', message, details);
  }
}

const CLASSES: Record<ErrorCode, new (message: string, details?: Details) => NavdError> = {
  argument: ArgumentError,
  memory: MemoryError,
  limit: LimitError,
  format: FormatError,
  truncated: TruncatedError,
  version: VersionError,
  not_found: NotFoundError,
  exists: ExistsError,
  state: StateError,
  cancelled: CancelledError,
  again: AgainError,
  closed: ClosedError,
  io: IoError,
  timeout: TimeoutError,
  internal: InternalError,
  unauthenticated: UnauthenticatedError,
  forbidden: ForbiddenError,
  untrusted: UntrustedError,
  crashed: CrashedError,
};

/** The error of that code. A code that is not known counts as `internal`, and stands in the message. */
export function errorOf(code: string, message: string, details?: ErrorDetails): NavdError {
  if (Object.hasOwn(CLASSES, code)) return new CLASSES[code as ErrorCode](message, details);
  return new InternalError(`${code}: ${message}`, details);
}

/** Whatever was thrown, as one of these. */
export function asNavdError(thrown: unknown): NavdError {
  if (thrown instanceof NavdError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new IoError(message, { cause: thrown });
}
