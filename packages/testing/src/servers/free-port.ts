import { findFreePort as findOn } from '@tollbook/http/server/find-free-port'

/** A free TCP port of 127.0.0.1. */
export function findFreePort(): Promise<number> {
  return findOn('127.0.0.1')
}
