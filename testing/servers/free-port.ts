import { findFreePort as findOn } from '../../src/devchain/find-free-port.ts'

/** A free TCP port of 127.0.0.1. */
export function findFreePort(): Promise<number> {
  return findOn('127.0.0.1')
}
