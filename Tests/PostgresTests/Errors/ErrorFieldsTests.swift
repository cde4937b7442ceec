import Testing

@testable import Postgres

@Suite struct ErrorFieldsTests {
    @Test func theCodeIsFoundInAnyLanguageOfTheServer() {
        let text = """
            connection to server on socket "/tmp/.s.PGSQL.5432" failed: ВАЖНО:  57P03: система баз данных запускается
            LOCATION:  ProcessStartupPacket, postmaster.c:2426

            """
        let (sqlState, message) = ErrorFields.ofConnecting(text)
        #expect(sqlState == "57P03")
        #expect(
            message
                == #"connection to server on socket "/tmp/.s.PGSQL.5432" failed: ВАЖНО: система баз данных запускается"#
        )
    }

    @Test func anErrorOfLibpqHasNoCode() {
        let (sqlState, message) = ErrorFields.ofConnecting("connection refused\n\tIs the server running?\n")
        #expect(sqlState == nil)
        #expect(message == "connection refused Is the server running?")
    }
}
