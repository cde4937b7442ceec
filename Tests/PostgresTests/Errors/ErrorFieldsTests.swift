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

    /// libpq guesses, over two lines, about every connection that ends; and it may say a line for each time it noticed.
    @Test func whatLibpqSaysTwiceOrOnlyGuessesIsLeftOut() {
        let text = """
            server closed the connection unexpectedly
            \tThis probably means the server terminated abnormally
            \tbefore or while processing the request.
            server closed the connection unexpectedly
            \tThis probably means the server terminated abnormally
            \tbefore or while processing the request.

            """
        #expect(ErrorFields.line(text) == "server closed the connection unexpectedly")
    }

    @Test func anErrorOfLibpqHasNoCode() {
        let (sqlState, message) = ErrorFields.ofConnecting("connection refused\n\tIs the server running?\n")
        #expect(sqlState == nil)
        #expect(message == "connection refused Is the server running?")
    }
}
