import { BASE } from '@tollbook/chain/network'
import type { Service } from '../service.ts'

/** Where a service is paid. */
export type PaidOn = Pick<Service, 'network' | 'isDemo'>

/** For people and agents who could take worthless money for real; null if it is real. */
export function noteOfMoney({ network = BASE, isDemo }: PaidOn): string | null {
  const { title, isTest } = network
  if (isDemo)
    return `This instance is paid on a local test chain, whose dollars have no value. Pay only with accounts of that chain: a signature by any other wallet would be valid on ${title}${isTest ? ', too' : ', with real money'}.`
  return isTest ? `This instance is paid on ${title}, a test network whose dollars have no value.` : null
}

/** What a service is, and on a test network also that its money has no value. */
export function describeService(service: PaidOn & Pick<Service, 'description'>): string {
  const note = service.network?.isTest ? noteOfMoney(service) : null
  return note === null ? service.description : `${service.description} ${note}`
}
