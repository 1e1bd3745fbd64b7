/** `mysql` includes MariaDB; `ansi` is ISO/IEC 9075. */
export type SqlDialect = 'ansi' | 'postgres' | 'mysql' | 'sqlite'
