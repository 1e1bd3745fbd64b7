import type { Address } from '@tollbook/chain/hex'
import type { Answer } from '@tollbook/gate/contract/answer'
import type { Effects } from '@tollbook/gate/contract/effects'
import type { Pricing, Scope } from '@tollbook/gate/contract/paid-route'
import type { Issue, Problem } from '@tollbook/http/problem'
import type { Dialect } from '@tollbook/http/reply/problem-document'
import type { UploadedFile } from '@tollbook/http/request/uploaded-file'
import type * as z from 'zod'
import type { FreeAnswer } from './answer.ts'
import type { EffectKind } from './effect/effects.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type { Address }

export type Limits = {
  readonly bodyBytes: number
  /** Max multipart body of an endpoint that accepts either form; default `bodyBytes`. */
  readonly formBytes?: number
  /**
   * Max values of a JSON body, including those in its lists and objects; default 50,000. They are parsed on
   * the event loop, where 100,000 take a tenth of a second, and twice that with exact numbers.
   */
  readonly bodyValues?: number
  /** Max run time of the handler in milliseconds; then the call fails with an uncharged 504. */
  readonly timeoutMs: number
}

/** The arguments of a handler. `Payer` is null on free endpoints. */
export type Call<Input, Ports = unknown, Payer = Address> = {
  readonly input: Input
  readonly files: ReadonlyMap<string, UploadedFile>
  readonly payer: Payer
  /** The same for every run of one payment: a handler may run again if its answer did not settle. */
  readonly callId: string
  /** Changes rows of the state, for endpoints that declare it. */
  readonly effects: Effects
  /** After trusted proxies; `unknown` without, and in paid calls of public scope, which others may read. */
  readonly clientAddress: string
  readonly ports: Ports
  readonly signal: AbortSignal
  /** Resolves once the answer is written to its end; with false if the caller disconnects before that. */
  readonly whenWritten: () => Promise<boolean>
  readonly now: Date
  /** The value of `Accept`, for endpoints that answer in several formats; empty when not sent. */
  readonly accept: string
  /** The value of `If-Match` (RFC 9110 section 13.1.1), for endpoints with versions; empty when not sent. */
  readonly ifMatch: string
}

/** What reading a body gives: its value, or what is wrong with it, without repeating it. */
export type JsonReading = { readonly value: unknown } | { readonly issue: string }

/** Whether an endpoint is currently available; otherwise the problem is returned instead of the 402. */
export type Availability =
  | { readonly isAvailable: true }
  | { readonly isAvailable: false; readonly problem: Problem }

/** Why an answer is empty; the members are what the caller can still use of it. */
export type Emptiness = Pick<Problem, 'detail' | 'members'>

/**
 * Endpoints with the same fields and other prices, of which the body of a request selects one. Of a body of up to
 * 4 MiB the terms are determined before the payment; otherwise the 402 has the terms of the declaring endpoint.
 */
export type Selection<Input, Ports> = {
  /** The path of the endpoint that sells a call with these arguments, before their validation; null for this one. */
  readonly find: (given: Partial<Input>, ports: Ports) => string | null
  /** For callers, in each 402 of the declaring endpoint: what selects another one. */
  readonly note: string
}

export type EndpointDeclaration<
  In extends z.ZodObject,
  Out extends z.ZodType,
  Ports,
  P extends Pricing = Pricing,
> = {
  /** Unique over all services; includes the method if one path has several. */
  readonly id: string
  readonly method: Method
  /** The path; must match the folder below `endpoints/` letter for letter; parameters as `{name}`. */
  readonly path: `/${string}`
  /** Of path parameters; other paths are 404. Without one any segment matches, and bad values are issues. */
  readonly pathPatterns?: Readonly<Record<string, string>>
  readonly pricing: P
  /** A title of a few words. */
  readonly summary: string
  /**
   * For a variant in path or pricing: the other's id, and a few words. It is sold and listed by itself;
   * pages show both together. In OpenAPI a brief one is only named in the description of the other.
   */
  readonly variant?: { readonly of: string; readonly name: string; readonly isBrief?: boolean }
  /** What the caller gets, at most 240 characters (specification 2.5). */
  readonly description: string
  /**
   * Path, query and body fields in one object; query and path values as the JSON Schema declares. `body`
   * gets the whole JSON body; a multipart file is a `z.file()` field and is also in `files`.
   */
  readonly input: In
  /** Default `json`. `either`: multipart if it has a `file`, otherwise JSON. Reads accept GET, and POST. */
  readonly accepts?: 'json' | 'multipart' | 'either'
  /** Whether numbers that a double cannot represent arrive as `RawNumber`; default false: rounded. */
  readonly hasExactNumbers?: boolean
  /** Whether a GET also accepts POST with JSON; default true, false on paths with a write side. */
  readonly isPostRead?: boolean
  /** Whether undeclared, empty and repeated query parameters are ignored, as for embedded URLs. */
  readonly isQueryLenient?: boolean
  /** Converts trimmed, non-empty fields of an HTML form to the JSON body; without it forms are refused. */
  readonly fromForm?: (fields: Readonly<Record<string, string>>) => unknown
  readonly output: Out
  /** The status of an answer, for documents; default 200. */
  readonly status?: 200 | 201
  /** Whether people open it in a browser, which then gets problems as pages too; default false. */
  readonly isPage?: boolean
  /** Whether its answers have validators (RFC 9110 section 8.8), as documents do; default false. */
  readonly hasValidators?: boolean
  /** A real call and its answer, which paid endpoints need; contract tests check both. */
  readonly example: { readonly input: z.input<In>; readonly output?: z.output<Out> }
  readonly limits: Limits
  /** What a call changes once its payment has settled; paid non-GET endpoints declare it. Default `none`. */
  readonly effect?: EffectKind
  /**
   * Arguments that earlier versions had, with their defaults, for the fingerprint of a request: payments of those
   * versions still get their stored answers. Default none.
   */
  readonly formerDefaults?: Readonly<Record<string, unknown>>
  /** For how long its payer may repeat a request without paying, with a proof of identity; default never. */
  readonly repeatAccess?: { readonly hours: number }
  /** Whose data an answer shows, for all calls or depending on their input. Default `public`. */
  readonly scope?: Scope | ((input: z.output<In>) => Scope)
  /** Input fields that never appear in a log, a metric or an error. */
  readonly secrets?: readonly string[]
  /** Headers, in lower case, that carry input fields instead of the URL; both are a duplicate. */
  readonly headerFields?: Readonly<Record<string, string>>
  /**
   * Parses the JSON bodies of the endpoint, such as long ones in a worker; default `JSON.parse` with `bodyValues`.
   * @throws ProblemError if it cannot be parsed now; the signal's reason.
   */
  readonly parseBody?: (
    bytes: Uint8Array,
    ports: Ports,
    signal: AbortSignal,
  ) => JsonReading | Promise<JsonReading>
  /** The error envelope; default `problem` (RFC 9457). */
  readonly dialect?: Dialect
  /** Members of every problem of the endpoint, for clients of a protocol; a problem's own come first. */
  readonly problemMembers?: (problem: Problem) => Readonly<Record<string, unknown>>
  /** Whether an undeclared name belongs to the input; default only of a `z.looseObject`, else an issue. */
  readonly takesParameter?: (name: string) => boolean
  /**
   * Synchronous and quick: finds issues of a well-formed input that cannot be served, before any payment.
   * Ports are for keys and in-memory tables, such as what proves that a cursor is ours.
   */
  readonly check?: (
    input: z.output<In>,
    ports: Ports,
    files: ReadonlyMap<string, UploadedFile>,
  ) => readonly Issue[]
  /** Only where the arguments select which of several endpoints sells a call. */
  readonly selection?: Selection<z.output<In>, Ports>
  /** Called before every challenge; must not wait on the network. Default available. */
  readonly availability?: (ports: Ports) => Availability
  /**
   * Why an answer has nothing of what was requested, as a search without a hit; null if it has something. The call
   * is then refused as `cannot_be_served`, uncharged. Every endpoint that searches or lists declares it.
   */
  readonly findEmptiness?: (body: z.output<Out>) => Emptiness | null
  readonly handle: (
    call: Call<z.output<In>, Ports, P extends { kind: 'free' } ? null : Address>,
  ) => AnswerOf<P, z.output<Out>> | Promise<AnswerOf<P, z.output<Out>>>
}

/** Only a free endpoint may answer with a document, because a paid answer is stored and never cached. */
type AnswerOf<P extends Pricing, Output> = [P] extends [{ kind: 'free' }]
  ? FreeAnswer<Output>
  : Answer<Output>

/** An endpoint with its own types erased, as the router, the gate and the views see it. */
// biome-ignore lint/suspicious/noExplicitAny: input, output and ports differ from endpoint to endpoint
export type Endpoint = EndpointDeclaration<any, any, any>

/** Declares an endpoint, from which everything else, from the route to the listing, is derived. */
export function defineEndpoint<In extends z.ZodObject, Out extends z.ZodType, Ports, const P extends Pricing>(
  declaration: EndpointDeclaration<In, Out, Ports, P>,
): Endpoint {
  // The router passes each handler the payer that its pricing promises, and takes a document from a free one,
  // which this erasure cannot express.
  return Object.freeze(declaration) as unknown as Endpoint
}
