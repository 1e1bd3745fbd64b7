import { testDisconnects } from '../paying/changing-call.ts'

const every = (step: number) => Array.from({ length: 40 / step }, (_, at) => at * step)

testDisconnects({ sqlite: every(1), postgres: every(2) })
