#!/usr/bin/env node
import '@tollbook/cli/main'
