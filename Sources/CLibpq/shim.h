#ifndef FANFARE_CLIBPQ_SHIM_H
#define FANFARE_CLIBPQ_SHIM_H

// The codes of PQresultErrorField are macros for character constants, which Swift does not see: each is a constant
// here, with libpq's own name in camel case.
#include <libpq-fe.h>

static const int pgDiagSeverity = PG_DIAG_SEVERITY_NONLOCALIZED;
static const int pgDiagSqlState = PG_DIAG_SQLSTATE;
static const int pgDiagMessage = PG_DIAG_MESSAGE_PRIMARY;
static const int pgDiagDetail = PG_DIAG_MESSAGE_DETAIL;
static const int pgDiagHint = PG_DIAG_MESSAGE_HINT;
static const int pgDiagPosition = PG_DIAG_STATEMENT_POSITION;
static const int pgDiagTable = PG_DIAG_TABLE_NAME;
static const int pgDiagColumn = PG_DIAG_COLUMN_NAME;
static const int pgDiagConstraint = PG_DIAG_CONSTRAINT_NAME;
static const int pgDiagSourceFunction = PG_DIAG_SOURCE_FUNCTION;

#endif
