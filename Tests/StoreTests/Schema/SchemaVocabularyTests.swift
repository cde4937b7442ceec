import PushModel
import Store
import TestSupport
import Testing

/// The words of the schema: every object has a comment, and the enums are those of `PushModel`.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SchemaVocabularyTests {
    @Test func everyObjectHasAComment() async throws {
        let test = try await TestDatabase.make()
        let uncommented = try await test.texts(
            """
            SELECT 'schema' AS uncommented WHERE obj_description('push'::regnamespace, 'pg_namespace') IS NULL
            UNION ALL SELECT 'relation ' || c.oid::regclass FROM pg_class c
             WHERE c.relnamespace::regnamespace::text LIKE 'push%' AND c.relkind IN ('r', 'p', 'v', 'S')
               AND obj_description(c.oid, 'pg_class') IS NULL
               AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i') AND c.relkind = 'S')
            UNION ALL SELECT 'index ' || c.oid::regclass FROM pg_class c
             WHERE c.relnamespace::regnamespace::text LIKE 'push%' AND c.relkind IN ('i', 'I') AND NOT c.relispartition
               AND obj_description(c.oid, 'pg_class') IS NULL
               AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = c.oid)
               AND NOT EXISTS (SELECT FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid WHERE x.indexrelid = c.oid AND t.relispartition)
            UNION ALL SELECT 'function ' || p.oid::regprocedure FROM pg_proc p
             WHERE p.pronamespace::regnamespace::text LIKE 'push%' AND obj_description(p.oid, 'pg_proc') IS NULL
               AND p.prolang <> (SELECT l.oid FROM pg_language l WHERE l.lanname = 'internal')
            UNION ALL SELECT 'type ' || t.oid::regtype FROM pg_type t
             WHERE t.typnamespace::regnamespace::text LIKE 'push%' AND t.typtype IN ('e', 'd', 'r') AND obj_description(t.oid, 'pg_type') IS NULL
            UNION ALL SELECT 'trigger ' || t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
             WHERE c.relnamespace::regnamespace::text LIKE 'push%' AND NOT t.tgisinternal AND t.tgparentid = 0
               AND obj_description(t.oid, 'pg_trigger') IS NULL
            UNION ALL SELECT 'column ' || c.oid::regclass || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
             WHERE c.relnamespace::regnamespace::text LIKE 'push%' AND a.attnum > 0 AND NOT a.attisdropped
               AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
               AND col_description(c.oid, a.attnum) IS NULL
            UNION ALL SELECT 'role ' || r.rolname FROM pg_roles r
             WHERE r.rolname ~ '^push_(enqueue|register|campaign|approve|audience|worker|monitor|operator|console)$' AND shobj_description(r.oid, 'pg_authid') IS NULL
            ORDER BY 1
            """)
        #expect(uncommented == [])
    }

    @Test func enumsAgreeWithTheModel() async throws {
        let test = try await TestDatabase.make()
        #expect(
            try await test.texts("SELECT unnest(enum_range(NULL::push.status))::text")
                == Status.allCases.map(\.rawValue))
        #expect(
            Set(try await test.texts("SELECT unnest(enum_range(NULL::push.reason))::text"))
                == Set(Reason.allCases.map(\.rawValue)))
        #expect(
            try await test.texts("SELECT unnest(enum_range(NULL::push.run_state))::text")
                == RunState.allCases.map(\.rawValue))
        #expect(
            try await test.texts(
                "SELECT s::text FROM unnest(enum_range(NULL::push.run_state)) s WHERE push_internal.is_over(s)")
                == RunState.allCases.filter(\.isOver).map(\.rawValue))
        for reason in Reason.allCases {
            #expect(
                try await test.texts("SELECT push.reason_class(\(reason.rawValue)::push.reason)")
                    == [reason.class.rawValue])
        }
        let verdicts: [Verdict] = [
            .accepted, .targetGone(because: ""), .targetInvalid(because: ""), .tooLarge(because: ""),
            .rejected(because: ""), .throttled(after: 1, because: ""), .unavailable(after: nil, because: ""),
            .authExpired(because: ""), .authFailed(because: ""), .hubNotFound(because: ""), .quotaExceeded(because: ""),
            .notSent(because: ""), .unknown(because: ""),
        ]
        #expect(try await test.texts("SELECT unnest(enum_range(NULL::push.verdict))::text") == verdicts.map(\.word))
        #expect(
            try await test.texts("SELECT unnest(enum_range(NULL::push.device_action))::text")
                == DeviceChange.Action.allCases.map(\.rawValue))
        #expect(
            try await test.texts("SELECT unnest(enum_range(NULL::push.change_status))::text")
                == [DeviceOutcome.Status.applied, .superseded, .refused, .retrying].map(\.rawValue))
    }
}
