import { ModelRefused } from '../failure.ts'

/** Refuses what has no form in the dialect of a model's upstream. @throws ModelRefused always */
export function refuse(parameter: string, detail: string): never {
  throw new ModelRefused(`the request has no form in the dialect of the upstream: ${parameter}`, {
    isTooLong: false,
    unserved: [{ parameter, detail }],
  })
}
